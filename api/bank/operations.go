// Package bank has the bank's two calls and the operations on payment requests, payments, events and statements.
package bank

import (
	"github.com/gin-gonic/gin"

	"banca/api/kit"
	"banca/internal/bank"
)

type operations struct {
	*kit.Registry

	bank *bank.Service
}

// Register adds the operations. The result answers a call of the bank's paths with another method than POST, and
// reports whether it did.
func Register(r *kit.Registry, bank *bank.Service) (refuseMethod func(*gin.Context) bool) {
	o := &operations{Registry: r, bank: bank}
	r.AddFailures(failures())
	o.registerCalls()
	o.registerPaymentRequests()
	o.registerBankPayments()
	o.registerBankEvents()
	o.registerBankDirectory()
	o.registerBankStatements()
	return o.refuseMethod
}
