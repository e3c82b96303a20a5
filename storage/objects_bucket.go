package storage

import (
	"context"
	"encoding/json"

	"github.com/minio/minio-go/v7"
)

// prepare makes the bucket and sets its policy. Both may be done by several processes at once.
func (b *s3Bucket) prepare(ctx context.Context) error {
	found, err := b.client.BucketExists(ctx, b.bucket)
	if err != nil {
		return err
	}
	if !found {
		err := b.client.MakeBucket(ctx, b.bucket, minio.MakeBucketOptions{})
		if code := minio.ToErrorResponse(err).Code; err != nil && code != "BucketAlreadyOwnedByYou" {
			return err
		}
	}
	statements := b.statements()
	if len(statements) == 0 {
		return b.withdraw(ctx)
	}
	policy, err := json.Marshal(struct {
		Version   string
		Statement []statement
	}{"2012-10-17", statements})
	if err != nil {
		return err
	}
	return b.client.SetBucketPolicy(ctx, b.bucket, string(policy))
}

// withdraw removes the policy of a private bucket. A store without policies is not an error.
func (b *s3Bucket) withdraw(ctx context.Context) error {
	err := b.client.SetBucketPolicy(ctx, b.bucket, "")
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
func (b *s3Bucket) statements() []statement {
	arn := "arn:aws:s3:::" + b.bucket
	var policy []statement
	if !b.private {
		public := statement{
			Sid: "PublicRead", Effect: "Allow", Principal: map[string][]string{"AWS": {"*"}}, Action: []string{"s3:GetObject"},
		}
		for _, prefix := range publicPrefixes() {
			public.Resource = append(public.Resource, arn+"/"+prefix+"*")
		}
		policy = append(policy, public)
	}
	if b.user != "" {
		principal := map[string][]string{"AWS": {b.user}}
		policy = append(policy,
			statement{
				Sid: "Objects", Effect: "Allow", Principal: principal,
				Action: []string{"s3:GetObject", "s3:PutObject", "s3:DeleteObject"}, Resource: []string{arn + "/*"},
			},
			statement{
				Sid: "Bucket", Effect: "Allow", Principal: principal, Action: []string{"s3:ListBucket"}, Resource: []string{arn},
			},
		)
	}
	return policy
}
