package start

import (
	"banca/internal/setup"
	"banca/web/admin/links"
	"banca/web/kit"
)

// Pages where what remains after a setup is done.
const (
	accountPath     = links.Home + "/account"
	importPath      = links.Organisation + "/import"
	connectionsPath = links.Messages + "/connections"
	simulatorPath   = links.Bank + "/simulator"
)

// remainsMessages is a platform without a connection to a provider of messages, remainsCall one that the bank has not called and that has no simulator.
const (
	remainsMessages = "messages"
	remainsCall     = "call"
)

// remaining lists what a user of the operator still has to do after the setup, of the pages that the user may open.
func (p *pages) remaining(r *kit.Request) ([]task, error) {
	if p.Setup == nil || !r.Caller.IsOperator() {
		return nil, nil
	}
	keys, err := p.Setup.Remaining(r.Context(), r.Caller.UserID)
	if err != nil || keys == nil {
		return nil, err
	}
	if _, total, err := p.Connections.List(r.Context(), r.Caller, 1, 0); err != nil {
		return nil, err
	} else if total == 0 {
		keys = append(keys, remainsMessages)
	}
	at := map[string]string{
		setup.RemainsSecond: accountPath, setup.RemainsPoints: importPath, setup.RemainsDraw: links.Games, setup.RemainsDevice: links.Devices,
		setup.RemainsBank: simulatorPath, remainsCall: links.Bank, setup.RemainsSource: links.Games, remainsMessages: connectionsPath,
	}
	var list []task
	for _, key := range keys {
		if key == setup.RemainsBank && !r.MayOpen(simulatorPath) { // it is off: the bank has to be told where to call
			key = remainsCall
		}
		if !r.MayOpen(at[key]) {
			continue
		}
		text := "start.remaining." + key
		list = append(list, task{Tone: kit.ToneWaiting, Text: r.T(text), Link: at[key], Do: text + ".do"})
	}
	return list, nil
}
