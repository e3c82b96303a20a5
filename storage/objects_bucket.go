package storage

import (
	"context"
	"encoding/json"

	"github.com/minio/minio-go/v7"
)

// publicPrefixes are what everyone may read: receipts, which messengers fetch by their address, and logos.
// Everything else, such as identity cards, stays private.
func publicPrefixes() []string { return []string{"receipts/*", "public/*"} }

// ensureBucket makes the bucket and sets its policy. Both may be done by several processes at once.
func (o *Objects) ensureBucket(ctx context.Context) error {
	found, err := o.client.BucketExists(ctx, o.bucket)
	if err != nil {
		return err
	}
	if !found {
		err := o.client.MakeBucket(ctx, o.bucket, minio.MakeBucketOptions{})
		if code := minio.ToErrorResponse(err).Code; err != nil && code != "BucketAlreadyOwnedByYou" {
			return err
		}
	}
	if o.private {
		return o.withdraw(ctx)
	}
	policy, err := publicReadPolicy(o.bucket)
	if err != nil {
		return err
	}
	return o.client.SetBucketPolicy(ctx, o.bucket, policy)
}

// withdraw removes a policy that a private bucket may have from elsewhere; a store that knows none has nothing to remove.
func (o *Objects) withdraw(ctx context.Context) error {
	err := o.client.SetBucketPolicy(ctx, o.bucket, "")
	switch minio.ToErrorResponse(err).Code {
	case "NoSuchBucketPolicy", "NotImplemented":
		return nil
	default:
		return err
	}
}

// publicReadPolicy lets everyone read objects below the public prefixes, and nobody list them: receipts have
// unguessable names.
func publicReadPolicy(bucket string) (string, error) {
	type statement struct {
		Sid       string
		Effect    string
		Principal map[string][]string
		Action    []string
		Resource  []string
	}
	var resources []string
	for _, prefix := range publicPrefixes() {
		resources = append(resources, "arn:aws:s3:::"+bucket+"/"+prefix)
	}
	policy, err := json.Marshal(struct {
		Version   string
		Statement []statement
	}{"2012-10-17", []statement{{
		Sid: "PublicRead", Effect: "Allow", Principal: map[string][]string{"AWS": {"*"}},
		Action: []string{"s3:GetObject"}, Resource: resources,
	}}})
	return string(policy), err
}
