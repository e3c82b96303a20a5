package embedded

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/afero"
)

// policyStore keeps the policy of each bucket in a file. It supports the one kind of policy that the
// application sets: everyone may read objects below some prefixes.
type policyStore struct{ files afero.Fs }

// bucketPolicy is the part of S3's policy language that is supported.
type bucketPolicy struct {
	Version   string
	Statement []struct {
		Sid       string
		Effect    string
		Principal struct{ AWS []string }
		Action    []string
		Resource  []string // arn:aws:s3:::bucket/prefix*
	}
}

func (p policyStore) put(bucket string, text []byte) error {
	if _, err := parseBucketPolicy(text); err != nil {
		return err
	}
	if err := p.files.MkdirAll(".", 0o700); err != nil {
		return err
	}
	fresh := bucket + "." + rand.Text() + ".new" // processes that start together set the same policy
	if err := afero.WriteFile(p.files, fresh, text, 0o600); err != nil {
		return err
	}
	return p.files.Rename(fresh, bucket+".json")
}

// remove deletes the policy of a bucket, if it has one.
func (p policyStore) remove(bucket string) error {
	err := p.files.Remove(bucket + ".json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// allowsRead reports whether everyone may read an object.
func (p policyStore) allowsRead(bucket, key string) bool {
	text, err := afero.ReadFile(p.files, bucket+".json")
	if err != nil {
		return false
	}
	policy, err := parseBucketPolicy(text)
	return err == nil && policy.allowsRead("arn:aws:s3:::"+bucket+"/"+key)
}

func (p *bucketPolicy) allowsRead(resource string) bool {
	for _, s := range p.Statement {
		if slices.ContainsFunc(s.Resource, func(pattern string) bool { return matchesResource(pattern, resource) }) {
			return true
		}
	}
	return false
}

// matchesResource compares a resource with a pattern that may end in an asterisk.
func matchesResource(pattern, resource string) bool {
	prefix, open := strings.CutSuffix(pattern, "*")
	return open && strings.HasPrefix(resource, prefix) || pattern == resource
}

// parseBucketPolicy refuses every policy that allows anything but reading to everyone.
func parseBucketPolicy(text []byte) (*bucketPolicy, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var policy bucketPolicy
	if err := decoder.Decode(&policy); err != nil {
		return nil, err
	}
	for _, s := range policy.Statement {
		if s.Effect != "Allow" || !slices.Equal(s.Principal.AWS, []string{"*"}) || !slices.Equal(s.Action, []string{"s3:GetObject"}) {
			return nil, fmt.Errorf("statement %q: only s3:GetObject for everyone is supported", s.Sid)
		}
	}
	return &policy, nil
}
