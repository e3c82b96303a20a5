package app

import (
	"crypto/hmac"
	"crypto/sha256"
	"log/slog"
	"net/http"
	"strings"

	"banca/internal/platform/config"
	"banca/storage"
)

// objectsPath is where the server answers with objects that are kept in a folder, by bucket and key.
const objectsPath = "/objects/"

// BucketOptions returns the options of the public or the private bucket: of an S3 store, or of a folder of the owner.
func BucketOptions(cfg *config.Config, private bool, owner string, log *slog.Logger) storage.ObjectsOptions {
	o := storage.ObjectsOptions{Bucket: cfg.Objects.Bucket, Private: private, PublicURL: cfg.Objects.ObjectPublicURL}
	if private {
		o.Bucket, o.PublicURL = cfg.Objects.PrivateBucket, ""
	}
	if cfg.ObjectsDir != "" {
		o.Dir, o.Owner, o.Secret, o.Logger = cfg.ObjectsDir, owner, objectsSecret(cfg), log
		o.PublicURL = cfg.HTTP.PublicURL + objectsPath + o.Bucket
		return o
	}
	o.Endpoint, o.AccessKey, o.SecretKey = cfg.Objects.Endpoint, cfg.Objects.AccessKey.Reveal(), cfg.Objects.SecretKey.Reveal()
	if private {
		o.SignedEndpoint = cfg.Objects.SignedEndpoint
	}
	return o
}

// objectsSecret derives the key of signed addresses from the secret of the installation.
func objectsSecret(cfg *config.Config) []byte {
	mac := hmac.New(sha256.New, []byte(cfg.Auth.JWTSecret.Reveal()))
	mac.Write([]byte("addresses of objects"))
	return mac.Sum(nil)
}

// withObjects answers with the objects of a folder, or with their addresses in the S3 store, and leaves every other path
// to next. An S3 store answers for any bucket, because the folder that was copied into it may have had another name.
// Objects have no limits of requests and no headers of pages: a gateway of messages reads each receipt once, and a point
// of sale shows it on its own pages.
func (a *App) withObjects(next http.Handler) http.Handler {
	public, private := a.stores.objects.Handler(), a.stores.private.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rest, below := strings.CutPrefix(r.URL.Path, objectsPath)
		bucket, _, inBucket := strings.Cut(rest, "/")
		handler := next
		switch {
		case !below || !inBucket:
		case bucket == a.cfg.Objects.PrivateBucket:
			handler = http.StripPrefix(objectsPath+bucket, private)
		case bucket == a.cfg.Objects.Bucket || a.cfg.ObjectsDir == "":
			handler = http.StripPrefix(objectsPath+bucket, public)
		}
		handler.ServeHTTP(w, r)
	})
}
