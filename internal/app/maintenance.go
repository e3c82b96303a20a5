package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/jackc/pgx/v5"

	"banca/internal/auth"
	"banca/internal/bank"
	"banca/internal/catalog"
	"banca/internal/platform/clock"
	"banca/internal/platform/config"
	"banca/internal/platform/doctor"
	"banca/internal/setup"
	"banca/internal/setup/seed"
	"banca/storage"
)

// Migrate brings the configured database to the newest schema.
func Migrate(ctx context.Context, cfg *config.Config, log *slog.Logger) error {
	applied, err := storage.Migrate(ctx, cmp.Or(cfg.Postgres.DirectURL, cfg.Postgres.DatabaseURL).Reveal())
	if err != nil {
		return err
	}
	log.InfoContext(ctx, "database is up to date", "applied", len(applied))
	return nil
}

// PrepareBuckets makes the buckets and sets their policies, which name S3_APP_USER. It needs a key that may.
func PrepareBuckets(ctx context.Context, cfg *config.Config, log *slog.Logger) error {
	return eachBucket(cfg, func(o *storage.ObjectsOptions, objects *storage.Objects) error {
		if err := objects.Prepare(ctx); err != nil {
			return err
		}
		log.InfoContext(ctx, "bucket is ready", "bucket", o.Bucket, "private", o.Private, "user", o.User)
		return nil
	})
}

// RecodeObjects removes the content encoding of all objects, which releases before 0.4.0 stored by mistake.
func RecodeObjects(ctx context.Context, cfg *config.Config, log *slog.Logger) error {
	return eachBucket(cfg, func(o *storage.ObjectsOptions, objects *storage.Objects) error {
		changed, err := objects.RemoveEncodings(ctx)
		log.InfoContext(ctx, "objects have no content encoding", "bucket", o.Bucket, "changed", changed)
		return err
	})
}

// CopyObjects copies what a folder (OBJECTS_DIR) holds into the S3 store of the settings, and writes a line for each
// bucket. from is the public bucket of the folder, whose private one has -private behind it; where it is empty, the folder
// has the names of the settings. It makes the buckets if S3_MANAGE_BUCKETS lets it. Errors: errors of storage.Objects.CopyFolder.
func CopyObjects(ctx context.Context, cfg *config.Config, dir, from string, out io.Writer) error {
	return eachBucket(cfg, func(o *storage.ObjectsOptions, objects *storage.Objects) error {
		if cfg.Objects.ManageBuckets {
			if err := objects.Prepare(ctx); err != nil {
				return err
			}
		}
		bucket := o.Bucket
		if from != "" {
			bucket = from
			if o.Private {
				bucket += config.PrivateSuffix
			}
		}
		result, err := objects.CopyFolder(ctx, dir, bucket)
		if _, printing := fmt.Fprintf(out, "%s: %s\n", o.Bucket, &result); err == nil {
			err = printing
		}
		return err
	})
}

// eachBucket calls fn with the public and the private bucket, with the second also after an error.
func eachBucket(cfg *config.Config, fn func(o *storage.ObjectsOptions, objects *storage.Objects) error) error {
	var errs []error
	for _, private := range []bool{false, true} {
		o := BucketOptions(cfg, private, "", nil)
		o.User = cfg.Objects.BucketUser
		objects, err := storage.NewObjects(o)
		if err != nil {
			return err
		}
		errs = append(errs, fn(&o, objects))
		objects.Close()
	}
	return errors.Join(errs...)
}

// errUnwell reports a finding that keeps banca from starting or from keeping what it stores.
var errUnwell = errors.New("mend what FAILED, then repeat the examination")

// Examine makes the checks of package doctor for settings that may come from a file, and writes the findings. It returns
// an error if one of them failed.
func Examine(ctx context.Context, cfg *config.Config, file string, out io.Writer) error {
	findings := examine(ctx, cfg, file)
	if err := doctor.Write(out, findings); err != nil {
		return err
	}
	if doctor.Failed(findings) {
		return errUnwell
	}
	return nil
}

func examine(ctx context.Context, cfg *config.Config, file string) []doctor.Finding {
	o := doctor.Options{Config: cfg, File: file, Clock: clock.System{}, Users: seed.UserIDs(), Password: seed.Password, Bank: bank.HasStored, Unknown: catalog.UnknownSources}
	owner := "" // of a folder: the database's name, as in openStores
	if c, err := pgx.ParseConfig(cfg.Postgres.DatabaseURL.Reveal()); err == nil {
		owner = c.Database
	}
	for _, private := range []bool{false, true} {
		o.Objects = append(o.Objects, BucketOptions(cfg, private, owner, nil))
	}
	return doctor.Examine(ctx, &o)
}

// Initialise prepares an empty database for its operator and generates the draws of the coming days. Errors: errors of
// setup.Service.Run.
func (a *App) Initialise(ctx context.Context, r *setup.Request) (auth.User, error) {
	return a.services.setup.Run(ctx, r)
}

// SetupCode makes the one-time code of the page /setup. Errors: auth.ErrHasUsers.
func (a *App) SetupCode(ctx context.Context) (string, error) { return a.services.setup.NewCode(ctx) }

// generate generates the draws of the coming days from rows that were written past the services.
func (a *App) generate(ctx context.Context) error { return a.services.generate(ctx) }

func (s *services) generate(ctx context.Context) error {
	s.org.Forget()
	s.catalog.Forget()
	if _, err := s.catalog.Generate(ctx); err != nil {
		return fmt.Errorf("generate draws: %w", err)
	}
	return nil
}

// setUp follows the transaction of the setup in this process.
func (s *services) setUp(ctx context.Context) error {
	if err := s.bank.LoadAccess(ctx); err != nil {
		return err
	}
	return s.generate(ctx)
}

// RebuildRollups counts the sums of wallets by day and the daily totals again, from all transactions.
func (a *App) RebuildRollups(ctx context.Context) error {
	if err := a.services.ledger.RebuildDays(ctx); err != nil {
		return err
	}
	return a.services.rollup.Rebuild(ctx)
}

// RotateSecrets seals all credentials with the first key of SECRET_KEYS, so that the older keys can be removed, and
// writes how many it sealed again.
func (a *App) RotateSecrets(ctx context.Context, out io.Writer) error {
	n, err := a.services.connections.Rotate(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%d connections are sealed again; all are sealed with the first key\n", n)
	return err
}

// CatchUp closes the draws whose sale stop has passed and sweeps the risk counts, which the scheduler's tasks
// would do within a minute.
func (a *App) CatchUp(ctx context.Context) error {
	if _, err := a.services.draws.CloseDue(ctx); err != nil {
		return err
	}
	_, err := a.services.risk.Sweep(ctx)
	return err
}

// Verify recomputes every invariant, writes the checks and the warnings to w and returns ErrBroken if an invariant does
// not hold. Warnings alone are no error.
func (a *App) Verify(ctx context.Context, w io.Writer) error {
	v, err := a.services.checks(ctx)
	if err != nil {
		return err
	}
	differences, err := a.services.risk.Audit(ctx)
	if err != nil {
		return err
	}
	broken := int64(len(differences))
	for _, c := range v.checks {
		broken += c.Broken
		report(w, c.Name, c.Broken)
	}
	report(w, "the risk counts equal what was sold", int64(len(differences)))
	for _, warned := range v.warnings {
		_, _ = fmt.Fprintf(w, "warn    %s (%d rows)\n", warned.name, warned.rows)
	}
	exposed, err := a.seededPasswords(ctx)
	if err != nil {
		return err
	}
	for _, name := range exposed {
		_, _ = fmt.Fprintf(w, "warn    %s has the password of the seed, which is public\n", name)
	}
	if broken > 0 {
		return ErrBroken
	}
	return nil
}

// seededPasswords names the users of the seed who have its password, which is public.
func (a *App) seededPasswords(ctx context.Context) ([]string, error) {
	return a.services.auth.NamesWithPassword(ctx, seed.Password, seed.UserIDs()...)
}

func report(w io.Writer, name string, broken int64) {
	mark := "ok    "
	if broken > 0 {
		mark = "BROKEN"
	}
	_, _ = fmt.Fprintf(w, "%s  %s", mark, name)
	if broken > 0 {
		_, _ = fmt.Fprintf(w, " (%d rows)", broken)
	}
	_, _ = fmt.Fprintln(w)
}
