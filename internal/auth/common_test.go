package auth

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCommonPasswords(t *testing.T) {
	t.Parallel()
	for _, password := range []string{
		"12345678", "87654321", "123456789", "11111111", "aaaabbbb", "abababab", "abcabcabc", "abcdefgh", "hgfedcba", "qwertyui", "asdfghjkl", "password", "Password",
		"PASSWORD1", "p@ssw0rd", "Passw0rd!", "contraseña", "Contrasena2026", "venezuela", "Venezuela2026!", "iloveyou", "1q2w3e4r", "1qaz2wsx", "caracas123", "loteria1",
		"animalitos", "taquilla1", "qwerty123", "trustno1",
	} {
		assert.True(t, common(password), password)
	}
	for _, password := range []string{
		"correct horse", "banca-dev", "long enough 1", "tres tigres tristes", "Xk3!pq9Z", "mi perro come arepas", "venezuela es linda", "8 de octubre", "ñandú-verde",
	} {
		assert.False(t, common(password), password)
	}
}
