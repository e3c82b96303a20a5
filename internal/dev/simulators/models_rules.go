package simulators

import (
	"regexp"
	"slices"
	"strings"

	"banca/internal/assistant/dates"
	"banca/internal/platform/businessday"
)

// intent is what a question is about: the tool that answers it, and the words that show it.
type intent struct {
	tool  string
	words *regexp.Regexp
	takes []string // arguments besides the date
}

// intents lists what questions are about, the most special first.
func intents() []intent {
	of := func(tool, words string, takes ...string) intent {
		return intent{tool: tool, words: regexp.MustCompile(words), takes: takes}
	}
	return []intent{
		of("comparePeriods", `\bcompar|\bversus\b|\bvs\b|\bcontra\b|\brespecto\b|\bcon relacion\b|\bagainst\b|\bdiferencia entre\b|\bdifference between\b|\bmas o menos que\b|\bmejor que\b|\bbetter than\b|\bworse than\b|\bpeor que\b`, "branch"),
		of("getTopNumbers", `\bmas jugad|\bmas pegad|\bmas se jueg|\bjuegan? mas\b|\bjugando mas\b|\bmas apostad|\btop (?:numbers|animal|\d)|\bhottest\b|\bmost (?:played|bet|popular)|\bnumeros calientes\b|\bnumeros? mas\b|\banimal(?:es|itos?)? mas\b|\bbest ?selling numbers\b|\bmas vendidos? (?:numeros?|animal)|\bcuales? numeros\b|\bwhich numbers\b`, "game", "time", "top"),
		of("getExposure", `\briesgo\b|\bexposicion\b|\bexpuest|\bexposure\b|\bliability\b|\brisk\b|\bsi sale\b|\bsi cae\b|\bif .* comes? (?:up|out)\b|\bcuanto (?:pierdo|perdemos)\b|\bpeor (?:numero|caso|resultado)\b|\bworst (?:case|outcome|number)\b|\bcomprometid`, "game", "time", "top", "number"),
		of("getPendingPrizes", `\bpremios? (?:pendiente|por pagar|sin (?:pagar|cobrar|retirar)|no (?:pagad|cobrad|retirad)|que (?:faltan?|debo|debemos|no se))|\b(?:pendiente|falta|faltan|debo|debemos|queda|quedan)\b.*\bpremi|\bpremi.*\b(?:pendiente|falta|faltan|cobrar|cobrado)|\b(?:pending|unpaid|uncollected|outstanding|unclaimed)\b.*\b(?:prize|win)|\bprizes?\b.*\b(?:pending|unpaid|uncollected|to pay|left|owe|collected)|\bpor cobrar\b`),
		of("getDailyClose", `\bcierres? (?:de caja|del dia|diario|de hoy|de ayer|de la taquilla)|\bcierres?\b.*\b(?:taquilla|caja|hecho|hicieron|falta)|\bha(?:n)? cerrado\b|\bcerraron?\b|\bsin cerrar\b|\bno (?:ha |han )?cerr|\bcuadr(?:e|o|aron)\b.*\bcaja|\bcuadre de caja\b|\barqueo\b|\bdaily clos|\bclosed (?:the day|their|the till|yet)|\b(?:have|has)(?:n't| not)? closed\b|\bcash (?:count|close|variance)|\bfaltante\b|\bsobrante\b|\bdescuadre`),
		of("getSales", `\bpor (?:taquilla|agencia|grupo|juego|dia|sucursal|punto|entidad|loteria|banca)|\bcada (?:taquilla|agencia|grupo|juego|dia|sucursal|loteria)|\b(?:que|cual|cuales) (?:taquilla|agencia|juego|grupo|loteria|dia)s? .*\b(?:mas|menos|mejor|vend)|\b(?:by|per|each|every) (?:branch|agency|game|day|group|point|shop|ticket point)|\bwhich (?:branch|agency|game|day|shop|ticket point)|\branking\b|\bdesglos|\bdetalle de (?:las )?ventas|\bbreakdown\b`, "group", "branch"),
		of("getDrawStatus", `\bsorteos?\b|\bresultados? (?:de|del)\b (?:la |el |los |las )?(?:lotto|granjita|triple|animal|sorteo|loteria|\d|ayer|hoy)|\bque (?:salio|animal|numero|cayo)|\b(?:salio|cayo|gano)\b|\bganador(?:es)?\b|\bdraws?\b|\bwinn(?:er|ing)\b|\bwhat came (?:out|up)\b|\bresults?\b.*\b(?:of|for)\b|\bresultados\b|\bya cerro\b|\babierto`, "game", "time"),
		of("getDailyBalance", `\bsaldos?\b|\bbalances?\b|\bdeb(?:o|emos)\b|\bdeuda\b|\bbilletera\b|\bwallet\b|\bowe\b|\bdebt\b|\bcuanto tengo\b|\bdisponible\b|\bdepositos?\b|\bretiros?\b|\bdeposits?\b|\bwithdrawals?\b|\bestado de cuenta\b`, "branch"),
		of("getDailyAggregatedBets", `\b[vb]en[td](?:a|as|i|io|ido|idos|imos|imo|ieron|e|emos|en)\b|\b[vb]endi|\b[vb]enta|\bjugadas?\b|\bapuestas?\b|\btickets?\b|\btike?ts?\b|\btiques?\b|\bcomision|\bgananci|\butilidad|\bganad[oa]|\bganamos\b|\bganando\b|\bpremios?\b|\bcomo (?:vamos|va|voy|nos fue|estuvo|cerramos|andamos)\b|\brecaud|\bfactur|\bhic(?:e|imos)\b|\banul|\bsales?\b|\bsold\b|\bsell|\bbets?\b|\brevenue\b|\bprofit|\bcommission|\bprizes?\b|\bturnover\b|\bearn|\bmade?\b|\bhow (?:are|did) we (?:do|doing|did)|\bkuanto\b|\breal(?:es)?\b|\bplata\b|\bbolos\b|\bresultado neto\b|\bcancel|\bvoid|\bfigures\b|\bcifras\b|\bresumen\b|\bsummary\b`, "branch"),
	}
}

var (
	serialForm = regexp.MustCompile(`(?i)\b(?:serial|ticket|tiquete|tique|tike)s?\b\D{0,30}?\b([A-Z]*\d[0-9A-Z]*(?:-[0-9A-Z]{2,})*)\b`)
	hourForm   = regexp.MustCompile(`\b(?:de las|a las|de la|a la|the|at|las|la)?\s?(\d{1,2}(?::\d{2})?)\s?(am|pm|a\.? ?m\.?|p\.? ?m\.?|de la (?:manana|tarde|noche))(?:\b|\s|$)|\b(?:de las|a las|de la|a la|at) (\d{1,2}(?::\d{2})?)\b|\b(\d{1,2}:\d{2})\b`)
	branchForm = regexp.MustCompile(`(?i)(\b(?:por|cada|que|cual|cuales|by|each|per|every|which) )?\b(?:taquilla|agencia|grupo|branch|agency|sucursal|punto|ticket point)\s+(?:de\s+|la\s+)?["“«]?([A-Z]{0,6}[- ]?\d[A-Z0-9-]*|[A-ZÁÉÍÓÚÑ][\wáéíóúñ-]+(?: [A-Z0-9][\wáéíóúñ-]*)*)`)
	topForm    = regexp.MustCompile(`\b(?:top|los|las|the) (\d{1,2})\b`)
	fallForm   = regexp.MustCompile(`\b(?:sale|cae|salga|caiga) (?:el |la )?(\d{1,3})\b|\bif (?:number |the )?(\d{1,3}) comes\b`)
	monthForm  = regexp.MustCompile(`\b\d{1,2} de (?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)\b`)
	overForm   = regexp.MustCompile(`(?i)ignor(?:a|e|es) (?:all |las |tus |your )?(?:previous |prior )?(?:instruc|rules|reglas)|system prompt|prompt del sistema|(?:tus|your) (?:instruc|reglas|rules)`)
)

// answer returns what a model says: calls of the tool that a question is about, then a text about their results.
func (m *Models) answer(r *chatRequest) chatAnswer {
	question, results := r.results()
	english := isEnglish(question)
	if len(results) > 0 {
		return chatAnswer{Text: tell(results, english)}
	}
	today := businessday.Of(m.config.Clock.Now(), m.config.Zone)
	call, ok := m.rule(question, today)
	if found, dated := dates.Find(question, today); !ok && dated && !overForm.MatchString(dates.Normalise(question)) {
		if call, ok = m.rule(r.before(), today); ok { // "and yesterday?" asks the question before of another day
			call.Args["date"] = found.Phrase
		}
	}
	if !ok || !slices.ContainsFunc(r.Tools, func(t chatTool) bool { return t.Function.Name == call.Name }) {
		return chatAnswer{Text: decline(english)}
	}
	return chatAnswer{Calls: []chatCall{call}}
}

// rule returns the call that a question asks for.
func (m *Models) rule(question string, day businessday.Day) (chatCall, bool) {
	plain := dates.Normalise(question)
	call := chatCall{Args: map[string]any{}}
	if overForm.MatchString(plain) {
		return call, false
	}
	if found := serialForm.FindStringSubmatch(question); found != nil && strings.ContainsAny(found[1], "0123456789") && len(found[1]) > 5 {
		call.Name, call.Args["serial"] = "getTicket", found[1]
		return call, true
	}
	for _, in := range intents() {
		if !in.words.MatchString(plain) {
			continue
		}
		call.Name = in.tool
		for _, argument := range in.takes {
			m.argue(call.Args, argument, question, plain)
		}
		// a time such as "a las 7" is no day
		found := dates.FindAll(hourForm.ReplaceAllString(fallForm.ReplaceAllString(plain, " "), " "), day, 2)
		if len(found) > 0 {
			call.Args["date"] = found[0].Phrase
		} else if odd := monthForm.FindString(plain); odd != "" {
			call.Args["date"] = odd // such as the 31st of February: the tool says so
		}
		if in.tool == "comparePeriods" {
			if len(found) == 0 {
				return call, false
			}
			if len(found) == 1 {
				call.Args["date"], call.Args["other"] = "hoy", found[0].Phrase
				break
			}
			call.Args["other"] = found[1].Phrase
		}
		break
	}
	return call, call.Name != ""
}

// argue adds an argument if the question names it.
func (m *Models) argue(args map[string]any, argument, question, plain string) {
	switch argument {
	case "game":
		squeezed := strings.ReplaceAll(plain, " ", "")
		best := ""
		for _, game := range m.config.Games {
			if name := strings.ReplaceAll(dates.Normalise(game), " ", ""); strings.Contains(squeezed, name) && len(game) > len(best) {
				best = game
			}
		}
		if best == "" && strings.Contains(plain, "granjita") {
			best = "La Granjita"
		}
		if best != "" {
			args["game"] = best
		}
	case "time":
		if found := hourForm.FindStringSubmatch(plain); found != nil {
			args["time"] = strings.TrimSpace(found[1] + found[2] + found[3] + found[4])
		}
	case "top":
		if found := topForm.FindStringSubmatch(plain); found != nil {
			n := 0
			for _, c := range found[1] {
				n = n*10 + int(c-'0')
			}
			if n > 0 && n <= 30 {
				args["top"] = n
			}
		}
	case "branch":
		if found := branchForm.FindStringSubmatch(question); found != nil && found[1] == "" {
			args["branch"] = strings.TrimSpace(found[2])
		}
	case "number":
		if found := fallForm.FindStringSubmatch(plain); found != nil {
			args["number"] = found[1] + found[2]
		}
	case "group":
		args["group_by"] = groupOf(plain)
	}
}

// groupOf is the way to group sales that a question asks for.
func groupOf(plain string) string {
	switch {
	case regexp.MustCompile(`\b(?:por|cada|que|cual|cuales|by|per|each|every|which) (?:juego|loteria|game)`).MatchString(plain):
		return "game"
	case regexp.MustCompile(`\b(?:por|cada|que|by|per|each|every|which) (?:dia|day)`).MatchString(plain):
		return "day"
	default:
		return "entity"
	}
}
