package receipts

import (
	"encoding/csv"
	"fmt"
	"os"
)

// sample is a Document with its name in testdata.
type sample struct {
	name string
	doc  *Document
}

// samples are the receipts whose pictures are kept as golden files.
func samples() []sample {
	return []sample{
		{"animalitos", animalitosDoc()},
		{"triples", triplesDoc()},
		{"mixed", mixedDoc()},
		{"multi", multiDoc()},
		{"cancelled", cancelledDoc()},
		{"english", englishDoc()},
		{"forty", fortyDoc()},
		{"sparse", sparseDoc()},
	}
}

// baseDoc returns a ticket's common parts.
func baseDoc() *Document {
	return &Document{
		Title: "Agencia La Suerte", Subtitle: "RIF J-40123456-7",
		Header:     []string{"Av. Bolívar, local 5, Mérida"},
		SerialCode: "K7M2-9QXA-4T", ValidationCode: "4815-1623",
		IssuedAt: "20/11/2026 09:41:07 AM", Seller: "Taquilla 3 - Iñaki",
		Unit:   "VES",
		Footer: []string{"Caduca a los 3 días", "Sin ticket no se paga premio"},
		QR:     "HTTPS://BANCA.EXAMPLE.COM/T/K7M29QXA4T",
	}
}

func one(code, name, amount string) Line {
	return Line{Elements: []Element{{code, name}}, Amount: amount}
}

func animalitosDoc() *Document {
	d := baseDoc()
	d.Games = []Game{
		{"Lotto Activo", []Draw{
			{"10:00 AM  #3", []Line{
				one("0", "Delfín", "10,00"), one("00", "Ballena", "5,00"), one("5", "León", "100,00"),
				one("12", "Caballo", "10,00"), one("8", "Ratón", "1.000,00"), one("9", "Águila", "25,50"),
				one("16", "Oso", "7,00"),
			}},
			{"11:00 AM  #4", []Line{one("4", "Alacrán", "20,00"), one("30", "Caima\u0301n", "20,00")}},
		}},
		{"La Granjita", []Draw{{"12:00 PM  #5", []Line{
			one("3", "Ciempiés", "15,00"), one("40", "Ñandú", "15,00"), one("22", "Camello", "30,00"),
		}}}},
	}
	d.Total = "1.257,50"
	return d
}

func triplesDoc() *Document {
	d := baseDoc()
	terminal := func(code, amount string) Line {
		return Line{Elements: []Element{{Code: code}}, BetType: "Terminal", Amount: amount}
	}
	sign := func(code, sign, amount string) Line {
		return Line{Elements: []Element{{Code: code}, {Code: sign}}, BetType: "Triple y signo", Amount: amount}
	}
	d.Games = []Game{{"Triple Zulia", []Draw{
		{"12:45 PM  #1", []Line{
			one("000", "", "10,00"), one("123", "", "20,00"), one("999", "", "5,00"),
			terminal("05", "50,00"), terminal("99", "2,50"),
			sign("123", "ARI", "10,00"), sign("777", "GEM", "10,00"), sign("045", "CAP", "4,00"),
		}},
		{"04:45 PM  #2", []Line{one("456", "", "10,00")}},
	}}}
	d.Total = "121,50"
	return d
}

func mixedDoc() *Document {
	d := baseDoc()
	d.Games = []Game{
		{"Lotto Activo", []Draw{
			{"01:00 PM  #6", []Line{
				one("5", "León", "10.000,00"), one("12", "Caballo", "10,00"), one("36", "Culebra", "1.250.000,00"),
			}},
			{"02:00 PM  #7", []Line{one("5", "León", "9.999,99"), one("12", "Caballo", "10,00")}},
		}},
		{"Triple Chance", []Draw{{"01:00 PM  #6", []Line{
			one("123", "", "10.000,00"), one("321", "", "125.000,00"),
		}}}},
	}
	d.Total = "1.405.019,99"
	d.Customer = "María Peña"
	d.PaymentInfo = []string{"Banco: 0102 Banco de Venezuela", "Teléfono: 0414-1234567", "Cédula: V-12345678", "Monto: 1.405.019,99"}
	return d
}

func multiDoc() *Document {
	d := baseDoc()
	multi := func(label, amount string, e ...Element) Line {
		return Line{Elements: e, BetType: label, Amount: amount}
	}
	lion, horse, fish := Element{"5", "León"}, Element{"12", "Caballo"}, Element{"33", "Pescado"}
	d.Games = []Game{{"Cazaloton", []Draw{{"09:00 AM  #1", []Line{
		one("5", "León", "10,00"), one("12", "Caballo", "10,00"),
		multi("Dupleta", "5,00", lion, horse), multi("Dupleta", "15,00", horse, fish),
		multi("Tripleta", "1.000,00", lion, horse, fish),
		multi("Tripleta", "100.000,00", Element{"00", "Ballena"}, horse, fish),
		multi("Seis", "2,00", lion, horse, fish, lion, horse, fish),
	}}}}}
	d.Total = "101.042,00"
	return d
}

func cancelledDoc() *Document {
	d := animalitosDoc()
	d.Cancelled, d.Copy = true, true
	return d
}

func englishDoc() *Document {
	d := cancelledDoc()
	d.Language, d.Copy, d.Footer = English, false, []string{"Expires in 3 days"}
	return d
}

// fortyDoc is the size that the speed targets are for.
func fortyDoc() *Document {
	d := baseDoc()
	animals := animalitos()
	for g, name := range []string{"Lotto Activo", "La Granjita", "Lotto Activo RD", "Guácharo Activo"} {
		game := Game{Name: name}
		for s := range 2 {
			draw := Draw{Label: fmt.Sprintf("%02d:00 PM  #%d", 2+s, 7+s)}
			for i := range 5 {
				a := animals[(g*10+s*5+i)%len(animals)]
				draw.Lines = append(draw.Lines, one(a.Code, a.Name, fmt.Sprintf("%d,00", 5*(i+1))))
			}
			game.Draws = append(game.Draws, draw)
		}
		d.Games = append(d.Games, game)
	}
	d.Total = "600,00"
	return d
}

// sparseDoc leaves every optional part out.
func sparseDoc() *Document {
	return &Document{
		SerialCode: "K7M29QXA4T",
		Games:      []Game{{"Terminal Activo", []Draw{{"", []Line{one("07", "", "1,00")}}}}},
	}
}

// animalitos returns the 38 animals with their official Spanish names.
func animalitos() []Element {
	f, err := os.Open("testdata/animalitos38.csv")
	if err != nil {
		panic(err)
	}
	defer func() { _ = f.Close() }()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		panic(err)
	}
	var list []Element
	for _, r := range rows[1:] {
		list = append(list, Element{Code: r[1], Name: r[2]})
	}
	return list
}
