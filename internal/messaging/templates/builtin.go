package templates

// Builtin is the text of a purpose that no entity has changed.
func Builtin(p Purpose, l Language) string {
	if l == English {
		return builtinEnglish(p)
	}
	return builtinSpanish(p)
}

func builtinSpanish(p Purpose) string {
	switch p {
	case Receipt:
		return "{saludo}\nTicket {serial} · {total} · vence {vence}\n{pago_movil}\n{firma}"
	case Cancellation:
		return "Ticket {serial} ANULADO · {total}\nEl recibo que recibió ya no es válido.\n{firma}"
	case Prize:
		return "{cliente}\n¡Su ticket {serial} ganó {premio}!\nCóbrelo hasta el {vence} con su código de validación.\n{firma}"
	case PrizeCorrected:
		return "{cliente}\nCorrección: su ticket {serial} ganó {premio}, porque se corrigió un resultado.\nEl mensaje anterior decía {anterior}.\nCóbrelo hasta el {vence} con su código de validación.\n{firma}"
	case PrizeWithdrawn:
		return "{cliente}\nCorrección: se corrigió un resultado y su ticket {serial} ya no tiene el premio de {anterior}.\n{firma}"
	case Results:
		return "Resultados del {dia}\n{resultados}\n{firma}"
	case ResultsCorrected:
		return "Corrección de los resultados del {dia}\n{resultados}\nEsta lista reemplaza la anterior.\n{firma}"
	case Code:
		return "Su código de acceso es {codigo}. Vence en {minutos} minutos. No lo comparta con nadie."
	case DailyClose:
		return "Cierre del {dia} · {entidad}\nVentas: {ventas}\nAnulados: {anulados}\nPremios: {premios}\nComisión: {comision}\nNeto: {neto}\nEfectivo: {efectivo}\nDiferencia: {diferencia}"
	case Settlement:
		return "Cuadre del {desde} al {hasta} · {entidad}\nVentas: {ventas}\nPremios: {premios}\nComisión: {comision}\nParticipación: {participacion}\nSemana: {semana}\nSaldo anterior: {anterior}\nPagos: {pagos}\nSaldo: {saldo}"
	case OptOut:
		return "{entidad} no le enviará más mensajes. Responda {palabra} para volver a recibirlos."
	case OptIn:
		return "{entidad} volverá a enviarle mensajes. Responda {palabra} para no recibirlos."
	default:
		return ""
	}
}

func builtinEnglish(p Purpose) string {
	switch p {
	case Receipt:
		return "{greeting}\nTicket {serial} · {total} · expires {expires}\n{mobile_payment}\n{signature}"
	case Cancellation:
		return "Ticket {serial} CANCELLED · {total}\nThe receipt that you have is not valid any more.\n{signature}"
	case Prize:
		return "{customer}\nYour ticket {serial} won {prize}!\nCollect it until {expires} with your validation code.\n{signature}"
	case PrizeCorrected:
		return "{customer}\nCorrection: your ticket {serial} won {prize}, because a result was corrected.\nThe earlier message said {before}.\nCollect it until {expires} with your validation code.\n{signature}"
	case PrizeWithdrawn:
		return "{customer}\nCorrection: a result was corrected, and your ticket {serial} does not have the prize of {before} any more.\n{signature}"
	case Results:
		return "Results of {day}\n{results}\n{signature}"
	case ResultsCorrected:
		return "Correction of the results of {day}\n{results}\nThis list replaces the earlier one.\n{signature}"
	case Code:
		return "Your access code is {code}. It expires in {minutes} minutes. Do not share it with anybody."
	case DailyClose:
		return "Close of {day} · {entity}\nSales: {sales}\nCancelled: {voids}\nPrizes: {prizes}\nCommission: {commission}\nNet: {net}\nCash: {cash}\nVariance: {variance}"
	case Settlement:
		return "Settlement of {from} to {to} · {entity}\nSales: {sales}\nPrizes: {prizes}\nCommission: {commission}\nParticipation: {share}\nWeek: {due}\nPrevious balance: {previous}\nPayments: {payments}\nBalance: {balance}"
	case OptOut:
		return "{entity} will not send you messages any more. Answer {word} to receive them again."
	case OptIn:
		return "{entity} will send you messages again. Answer {word} to receive none."
	default:
		return ""
	}
}
