package imports_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
	"golang.org/x/crypto/bcrypt"

	"banca/internal/auth"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/platform/money"
	"banca/internal/platform/sheet"
	"banca/internal/risk"
	"banca/internal/setup/imports"
	"banca/internal/setup/seed"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// rows are the seed without games.
var rows = fixture.Rows{Games: []string{""}}.Template() //nolint:gochecknoglobals // a template of the database

type bundle struct {
	*fixture.Operator
	imports *imports.Service
	admin   caller.Caller
}

func setup(t *testing.T) *bundle {
	t.Helper()
	o := fixture.New(t, rows)
	return &bundle{Operator: o, imports: service(t, o), admin: fixture.As(fixture.Cashier, auth.Permissions()...)}
}

func service(t *testing.T, o *fixture.Operator) *imports.Service {
	t.Helper()
	users, err := auth.New(o.PG, clock.System{}, auth.Options{
		Secret: []byte(strings.Repeat("s", 32)), AccessTTL: time.Minute, RefreshTTL: time.Hour, BcryptCost: bcrypt.MinCost, Redis: o.Redis, Scope: o.Org.Scope,
	})
	require.NoError(t, err)
	limits := risk.NewKeeper(risk.New(o.PG, o.Redis, clock.System{}), risk.KeeperDeps{Org: o.Org, Ledger: o.Ledger})
	return &imports.Service{
		PG: o.PG, Org: o.Org, Auth: users, Ledger: o.Ledger, Limits: limits, Currency: "VES",
		DefaultRate: func(context.Context) (string, error) { return "16", nil },
	}
}

// state counts the rows that an import writes.
func (b *bundle) state(t *testing.T) string {
	t.Helper()
	return b.Text(t, `SELECT concat_ws(' ', (SELECT count(*) FROM entities), (SELECT count(*) FROM users), (SELECT count(*) FROM wallets),
		(SELECT count(*) FROM credit_limit_changes), (SELECT count(*) FROM risk_limits), (SELECT count(*) FROM activity_logs),
		(SELECT md5(string_agg(name || finance_info::text || contact_info::text, '' ORDER BY id)) FROM entities))`)
}

const heading = "Código;Nombre;Tipo;Pertenece a;Comisión;Tope de venta;Crédito;Usuario;Nombre del usuario;Teléfono;Color\n"

const small = heading +
	"A1;Agencia Uno;Agencia;;;100.000,00;;;;0414-555.0001;rojo\n" +
	"T1;Taquilla Uno;Taquilla;G1;9,5;20.000;5.000,00;luz;Luz Marina;04145550002;\n" +
	"G1;Grupo Uno;Grupo;A1;12;;;;;;\n" +
	"\n" +
	"T2;Taquilla Dos;;A1;;;;;;4145550003;\n"

func TestAFileIsImportedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	before := b.state(t)
	plan, err := b.imports.Try(t.Context(), b.admin, []byte(small))
	require.NoError(t, err)
	require.Equal(t, before, b.state(t), "a dry run writes nothing")
	require.True(t, plan.DryRun)
	require.Equal(t, []string{"Color"}, plan.Ignored)
	require.Equal(t, []int{4, 0, 0, 0, 1}, []int{plan.New, plan.Changed, plan.Same, plan.Wrong, plan.Users}, problems(plan))
	var tree []string
	for i := range plan.Lines {
		tree = append(tree, fmt.Sprintf("%d%s%s", plan.Lines[i].Line, strings.Repeat(".", plan.Lines[i].Depth), plan.Lines[i].Cells["code"]))
	}
	require.Equal(t, []string{"2A1", "4.G1", "3..T1", "6.T2"}, tree)

	plan, err = b.imports.Run(t.Context(), b.admin, []byte(small))
	require.NoError(t, err)
	require.False(t, plan.DryRun)
	got := b.Text(t, `SELECT concat_ws(' ', t.status, g.code, a.code, a.finance_info->'commissions'->0->>'percent', g.finance_info->'commissions'->0->>'percent',
		t.finance_info->'commissions'->0->>'percent', a.contact_info->>'phone', w.credit_limit, l.base, u.identifier, u.role, u.phone, u.auth_method)
		FROM entities t JOIN entities g ON g.id = t.parent_id JOIN entities a ON a.id = g.parent_id JOIN wallets w ON w.entity_id = t.id
		JOIN risk_limits l ON l.entity_id = t.id AND l.metric = 'stake' JOIN users u ON u.entity_id = t.id WHERE t.code = 'T1'`)
	require.Equal(t, "active G1 A1 16 12 9.5 0414-555.0001 500000 2000000 luz TAQUILLA +584145550002 whatsapp", got)
	_, err = b.Org.Seller(t.Context(), plan.Lines[2].EntityID())
	require.NoError(t, err, "it can sell at once")

	after := b.state(t)
	plan, err = b.imports.Run(t.Context(), b.admin, []byte(small))
	require.NoError(t, err)
	require.Equal(t, []int{0, 0, 4, 0, 0}, []int{plan.New, plan.Changed, plan.Same, plan.Wrong, plan.Users}, problems(plan))
	require.Equal(t, after, b.state(t), "a repeat doubles nothing")

	changed := strings.NewReplacer("Taquilla Uno", "Taquilla Primera", "5.000,00", "6000", "20.000", "25000,50", ";12;", ";13;").Replace(small)
	plan, err = b.imports.Run(t.Context(), b.admin, []byte(changed))
	require.NoError(t, err)
	require.Equal(t, []int{0, 2, 2, 0, 0}, []int{plan.New, plan.Changed, plan.Same, plan.Wrong, plan.Users}, problems(plan))
	got = b.Text(t, `SELECT concat_ws(' ', t.name, g.finance_info->'commissions'->0->>'percent', w.credit_limit, l.base) FROM entities t
		JOIN entities g ON g.id = t.parent_id JOIN wallets w ON w.entity_id = t.id JOIN risk_limits l ON l.entity_id = t.id WHERE t.code = 'T1'`)
	require.Equal(t, "Taquilla Primera 13 600000 2500050", got)
}

func problems(p *imports.Plan) (list []string) {
	for i := range p.Lines {
		for _, d := range p.Lines[i].Problems {
			list = append(list, fmt.Sprintf("%d %s: %s", p.Lines[i].Line, d.Location, d.Message))
		}
	}
	return list
}

// Every problem of a row is at its line and column, and a file with one writes nothing.
func TestProblemsOfRows(t *testing.T) {
	t.Parallel()
	b := setup(t)
	before := b.state(t)
	for _, tt := range []struct{ row, at, message string }{
		{"a b;X", "code", "expected 1 to 32"},
		{";X", "code", "expected 1 to 32"},
		{"X;", "name", "expected a name"},
		{"X;=;Taquilla", "name", "expected a name"},
		{"X;Ana\u202e", "name", "contains characters"},
		{"X;X;Sucursal", "type", "expected a type"},
		{"X;X;Taquilla;NADA", "parent", "neither the file"},
		{"X;X;Taquilla;" + seed.CodeTicketPoint, "parent", "lower type"},
		{"X;X;Agencia;X", "parent", "lower type"},
		{"X;X;Superagencia;;101", "percent", "expected a decimal"},
		{"X;X;Superagencia;;-1", "percent", "expected a decimal"},
		{"X;X;Agencia;" + seed.CodeSuperAgency + ";18,01", "percent", "X has 18.01 %, its parent 18.00 %"},
		{seed.CodeAgency + ";X;Agencia;" + seed.CodeSuperAgency + ";12", "percent", "its parent 12.00 %"},
		{seed.CodeOperator + ";X;Agencia", "code", "is your own entity"},
		{seed.CodeAgency + ";X;Grupo", "type", "another type"},
		{seed.CodeTicketPoint + ";X;Taquilla;GRU-101", "parent", "move it"},
		{"X;X;;;;x", "stake_limit", "must be an amount"},
		{"X;X;;;;;-5", "credit", "must be an amount"},
		{"X;X;;;;;;luz", "phone", "needs a phone"},
		{"X;X;;;;;;luz;;12", "phone", "telephone"},
		{"X;X;;;;;;l u z;;04145550009", "user", "without spaces"},
		{"X;X;;;;;;otra;;+584140000001", "phone", "another user"},
		{"X;X\nX;Y", "code", "on a line before"},
		{"X;X;;;;;;luz;;04145550009\nY;Y;;;;;;luz;;04145550008", "user", "another line"},
	} {
		raw := []byte(heading + tt.row + "\n")
		plan, err := b.imports.Run(t.Context(), b.admin, raw)
		require.ErrorIs(t, err, imports.ErrRefused, tt.row)
		found := strings.Join(problems(plan), "\n")
		assert.Contains(t, found, tt.at+": ", tt.row)
		assert.Contains(t, found, tt.message, tt.row)
		assert.Contains(t, apperr.From(err).Details[0].Location, "line ", tt.row)
		assert.Equal(t, before, b.state(t), tt.row)
	}
}

// A user of a branch imports below the own entity only, and without a permission no money.
func TestTheScopeAndPermissionsOfTheCaller(t *testing.T) {
	t.Parallel()
	b := setup(t)
	below := fixture.As(fixture.Cashier, auth.EntitiesWrite)
	below.EntityID = fixture.EntityID(seed.CodeAgency)
	below.Scope = testkit.Scope(b.Text(t, `SELECT path FROM entities WHERE id = $1`, below.EntityID))
	for row, message := range map[string]string{
		"X;X;;" + seed.CodeOtherAgency: "neither the file",
		seed.CodeOtherPoint + ";X;":    "another entity has this code",
		"X;X;;;;;5":                    "may not",
		"X;X;;;;5":                     "may not",
		"X;X;;;;;;luz;;04145550009":    "may not",
	} {
		plan, err := b.imports.Run(t.Context(), below, []byte(heading+row+"\n"))
		require.ErrorIs(t, err, imports.ErrRefused, row)
		assert.Contains(t, strings.Join(problems(plan), "\n"), message, row)
	}
	_, err := b.imports.Run(t.Context(), below, []byte(heading+"X;X\n"))
	require.NoError(t, err)
	require.Equal(t, seed.CodeAgency, b.Text(t, `SELECT p.code FROM entities e JOIN entities p ON p.id = e.parent_id WHERE e.code = 'X'`))
}

// points is a file with n ticket points below agencies and groups.
func points(n int) string {
	var f strings.Builder
	f.WriteString(heading)
	const each = 50
	for i := range n {
		group := i / each
		if i%each == 0 {
			if group%5 == 0 {
				fmt.Fprintf(&f, "AG%d;Agencia %d;Agencia;;15;;;;;;\n", group/5, group/5)
			}
			fmt.Fprintf(&f, "GR%d;Grupo %d;Grupo;AG%d;12;;;;;;\n", group, group, group/5)
		}
		fmt.Fprintf(&f, "TQ%05d;Taquilla %d;Taquilla;GR%d;10;20.000,00;5.000,00;tq%05d;Vendedor %d;0414%07d;\n", i, i, group, i, i, 1000000+i)
	}
	return f.String()
}

// 3,000 ticket points with limits, credit and users are imported in less than 20 s, and a repeat writes nothing.
func TestThreeThousandTicketPoints(t *testing.T) {
	t.Parallel()
	b := setup(t)
	raw := []byte(points(3_000))
	started := time.Now()
	tried, err := b.imports.Try(t.Context(), b.admin, raw)
	require.NoError(t, err)
	require.Zero(t, tried.Wrong)
	t.Logf("dry run: %s", time.Since(started))
	started = time.Now()
	plan, err := b.imports.Run(t.Context(), b.admin, raw)
	require.NoError(t, err)
	took := time.Since(started)
	t.Logf("import of %d entities, %d users: %s", plan.New, plan.Users, took)
	require.Equal(t, 3_000, plan.Users)
	require.Less(t, took, 20*time.Second)
	after := b.state(t)
	started = time.Now()
	plan, err = b.imports.Run(t.Context(), b.admin, raw)
	require.NoError(t, err)
	t.Logf("repeat: %s", time.Since(started))
	require.Equal(t, len(plan.Lines), plan.Same)
	require.Equal(t, after, b.state(t))
}

// Of 10,000 rows one is wrong: nothing is written, and its line and column are named.
func TestOneWrongRowOfTenThousand(t *testing.T) {
	t.Parallel()
	b := setup(t)
	before := b.state(t)
	raw := strings.Replace(points(9_780), "TQ07777;Taquilla 7777;Taquilla;GR155;10;", "TQ07777;Taquilla 7777;Taquilla;GR155;13;", 1)
	plan, err := b.imports.Run(t.Context(), b.admin, []byte(raw))
	require.ErrorIs(t, err, imports.ErrRefused)
	require.Greater(t, len(plan.Lines), 10_000)
	require.Equal(t, 1, plan.Wrong)
	require.Equal(t, []string{"7967 percent: TQ07777 has 13.00 %, its parent 12.00 %"}, problems(plan))
	require.Equal(t, before, b.state(t))
}

// Files that are no table, or too large, are refused quickly within bounded memory.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	bomb := zipped(t, map[string]int{"xl/worksheets/sheet1.xml": 256 << 20})
	require.Less(t, len(bomb), 2<<20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	started := time.Now()
	for name, tt := range map[string]struct {
		raw  []byte
		want error
	}{
		"bomb":           {bomb, sheet.ErrTooManyRows},
		"empty":          {nil, imports.ErrEmpty},
		"spaces":         {[]byte("\n\n ;\n"), imports.ErrColumns},
		"headings alone": {[]byte(heading), imports.ErrEmpty},
		"no code":        {[]byte("nombre\nx\n"), imports.ErrColumns},
		"twice":          {[]byte("código,nombre,Code\n1,x,2\n"), imports.ErrColumns},
		"binary":         {[]byte("\x00\x01\x02"), sheet.ErrUnreadable},
		"a broken zip":   {[]byte("PK\x03\x04 no zip"), sheet.ErrUnreadable},
		"another zip":    {zipped(t, map[string]int{"a.txt": 10}), sheet.ErrUnreadable},
		"a wide row":     {[]byte("code,name\n" + strings.Repeat("x,", 100)), sheet.ErrTooManyRows},
		"a long cell":    {[]byte("code,name\nx," + strings.Repeat("y", 501)), sheet.ErrTooManyRows},
		"many rows":      {[]byte("code,name\n" + strings.Repeat("x,y\n", 20_000)), sheet.ErrTooManyRows},
	} {
		_, err := imports.Parse(tt.raw)
		assert.ErrorIs(t, err, tt.want, name)
	}
	runtime.ReadMemStats(&after)
	assert.Less(t, time.Since(started), 5*time.Second)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(400<<20))
}

// zipped is an archive with files of so many spaces.
func zipped(t *testing.T, files map[string]int) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, size := range files {
		f, err := w.Create(name)
		require.NoError(t, err)
		block := bytes.Repeat([]byte(" "), 1<<20)
		for ; size > 0; size -= len(block) {
			_, err := f.Write(block[:min(size, len(block))])
			require.NoError(t, err)
		}
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// A workbook is read as the same rows as a CSV file, and a file of Windows is, too.
func TestFormats(t *testing.T) {
	t.Parallel()
	book := excelize.NewFile()
	for i, line := range [][]any{{"Codigo", "NOMBRE", "Comision %", "telefono"}, {"T1", "Peña", 9.5, 4145550001}, {}, {"T2", "Ávila", "10%", "0414"}} {
		require.NoError(t, book.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &line))
	}
	workbook, err := book.WriteToBuffer()
	require.NoError(t, err)
	for name, raw := range map[string][]byte{
		"xlsx":    workbook.Bytes(),
		"windows": []byte("Codigo;NOMBRE;Comision %;telefono\r\nT1;Pe\xf1a;9.5;4145550001\r\n;;\r\nT2;\xc1vila;10%;0414\r\n"),
		"tabs":    []byte("\ufeffCodigo\tNOMBRE\tComision %\ttelefono\nT1\tPeña\t9.5\t4145550001\n\nT2\tÁvila\t10%\t0414\n"),
	} {
		f, err := imports.Parse(raw)
		require.NoError(t, err, name)
		require.Len(t, f.Rows, 2, name)
		assert.Equal(t, map[string]string{"code": "T1", "name": "Peña", "percent": "9.5", "phone": "4145550001"}, f.Rows[0].Cells, name)
		assert.Equal(t, "Ávila", f.Rows[1].Cells["name"], name)
	}
}

// The point of a number of a workbook is one of decimals: 12.125 is not 12,125. In a CSV file it is what people write there.
func TestANumberOfAWorkbookKeepsItsPoint(t *testing.T) {
	t.Parallel()
	book := excelize.NewFile()
	for i, line := range [][]any{{"codigo", "nombre", "tope", "crédito"}, {"T1", "Uno", 12.125, 1562.125}, {"T2", "Dos", 1562.5, 20000}} {
		require.NoError(t, book.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &line))
	}
	workbook, err := book.WriteToBuffer()
	require.NoError(t, err)
	f, err := imports.Parse(workbook.Bytes())
	require.NoError(t, err)
	for _, column := range []string{"stake_limit", "credit"} {
		_, err := money.Parse(imports.Decimal(f.Rows[0].Cells[column]), 2)
		require.Error(t, err, "%s: more decimals than an amount has", column)
	}
	assert.Equal(t, "1562.5", imports.Decimal(f.Rows[1].Cells["stake_limit"]))
	assert.Equal(t, "20000", imports.Decimal(f.Rows[1].Cells["credit"]))
	assert.Equal(t, "12125", imports.Decimal("12.125"), "in a CSV file")
}

// A separator that makes no groups of three digits does not separate thousands: 0.050 % is not 50 %.
func TestOnlyGroupsOfThreeDigitsAreThousands(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"1.500": "1500", "1,500,000": "1500000", "1.234.567,89": "1234567.89", "1,234.5": "1234.5", "Bs 12,5": "12.5",
		"1500": "1500", "0,5": "0.5", "9,5%": "9.5",
	} {
		assert.Equal(t, want, imports.Decimal(typed), typed)
	}
	refused := []string{"0.050", "0,500", ".500", "1500.125", "10.5.2", "1,50,0", "12.34,5", "1.500.00", "1,2.345,6"}
	for _, typed := range refused {
		_, err := money.ParseOrZero(imports.Decimal(typed), 2)
		assert.Error(t, err, "%s is read as %s", typed, imports.Decimal(typed))
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("PK\x03\x04"))
	f.Add([]byte("code,name\n\"x\"\"y\",\"\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		file, err := imports.Parse(raw)
		if err == nil {
			require.NotEmpty(t, file.Rows)
		}
	})
}
