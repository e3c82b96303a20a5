package storage

import (
	"context"
	"fmt"

	"github.com/minio/minio-go/v7"
)

// RemoveEncodings removes the content encoding that earlier releases stored with objects, and returns how many objects
// had one. An object that is replaced meanwhile is left as it is. It is idempotent.
func (o *Objects) RemoveEncodings(ctx context.Context) (changed int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the listing
	for found := range o.client.ListObjects(ctx, o.bucket, minio.ListObjectsOptions{Recursive: true}) {
		if found.Err != nil {
			return changed, objectError("list", "", found.Err)
		}
		info, err := o.client.StatObject(ctx, o.bucket, found.Key, minio.StatObjectOptions{})
		if err != nil {
			return changed, objectError("stat", found.Key, err)
		}
		if info.Metadata.Get("Content-Encoding") == "" {
			continue
		}
		_, err = o.client.CopyObject(ctx,
			minio.CopyDestOptions{Bucket: o.bucket, Object: found.Key, ReplaceMetadata: true, UserMetadata: map[string]string{
				"Content-Type": info.ContentType, "Cache-Control": objectCache,
			}},
			minio.CopySrcOptions{Bucket: o.bucket, Object: found.Key, MatchETag: info.ETag})
		if err != nil {
			return changed, fmt.Errorf("storage: copy object %s: %w", found.Key, err)
		}
		changed++
	}
	return changed, nil
}
