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
	statements := o.statements()
	if len(statements) == 0 {
		return o.withdraw(ctx)
	}
	policy, err := json.Marshal(struct {
		Version   string
		Statement []statement
	}{"2012-10-17", statements})
	if err != nil {
		return err
	}
	return o.client.SetBucketPolicy(ctx, o.bucket, string(policy))
}

// withdraw removes the policy of a private bucket. A store without policies is not an error.
func (o *Objects) withdraw(ctx context.Context) error {
	err := o.client.SetBucketPolicy(ctx, o.bucket, "")
	switch minio.ToErrorResponse(err).Code {
	case "NoSuchBucketPolicy", "NotImplemented":
		return nil
	default:
		return err
	}
}

// statement is a part of a bucket's policy.
type statement struct {
	Sid       string
	Effect    string
	Principal map[string][]string
	Action    []string
	Resource  []string
}

// statements returns the bucket's policy. Everyone may read objects below the public prefixes of a bucket that is not
// private, but not list them, because receipts have unguessable names. The user of the options may do what the
// methods of Objects do.
func (o *Objects) statements() []statement {
	arn := "arn:aws:s3:::" + o.bucket
	var policy []statement
	if !o.private {
		public := statement{Sid: "PublicRead", Effect: "Allow", Principal: map[string][]string{"AWS": {"*"}}, Action: []string{"s3:GetObject"}}
		for _, prefix := range publicPrefixes() {
			public.Resource = append(public.Resource, arn+"/"+prefix)
		}
		policy = append(policy, public)
	}
	if o.user != "" {
		principal := map[string][]string{"AWS": {o.user}}
		policy = append(policy,
			statement{
				Sid: "Objects", Effect: "Allow", Principal: principal,
				Action: []string{"s3:GetObject", "s3:PutObject", "s3:DeleteObject"}, Resource: []string{arn + "/*"},
			},
			statement{Sid: "Bucket", Effect: "Allow", Principal: principal, Action: []string{"s3:ListBucket"}, Resource: []string{arn}},
		)
	}
	return policy
}
