package auth

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCommonPasswords(t *testing.T) {
	t.Parallel()
	for _, password := range []string{
		"12345678", "87654321", "123456789", "11111111", "aaaabbbb", "abababab", "abcabcabc", "abcdefgh", "hgfedcba", "qwertyui", "asdfghjkl", "password", "Password",
		"PASSWORD1", "p@ssw0rd", "Passw0rd!", "contraseña", "Contrasena2026", "venezuela", "Venezuela2026!", "iloveyou", "1q2w3e4r", "1qaz2wsx", "caracas123", "loteria1",
		"animalitos", "taquilla1", "qwerty123", "trustno1",
		"Aa123456", "abc12345", "asdf1234", "p4ssw0rd123", "12/12/2000", "12122000", "2000-12-12", "31.12.99", "1/1/2000", "temporal1", "Temporal2026*", "animalito", "4n1m4l1t0!",
		"banca-dev", "Banca.Dev.1", "qwe123456", "1234abcd", "123qweasd", "hola-mundo", "Loteria/Banca", "!!password!!", "2026caracas", "Caracas-1234!", "aaa111222",
		"asdf-asdf-1", "12345-67890", "!!!!????....", "!!!!????....,,,,", "!@#$%^&*", "!@#$%^&*()", "*&^%$#@!", "+-*/+-*/", "!\"·$%&/()",
	} {
		assert.True(t, common(password), password)
		wide := strings.Map(func(r rune) rune {
			if r > ' ' && r < 0x7f {
				return r + 0xfee0
			}
			return r
		}, password)
		assert.True(t, common(wide), wide)
	}
	for _, password := range []string{
		"correct horse", "long enough 1", "tres tigres tristes", "Xk3!pq9Z", "mi perro come arepas", "venezuela es linda", "8 de octubre", "ñandú-verde",
		"caracas es mi ciudad", "hola mi amor bello", "another horse", "a third horse", "cuatro gatos negros", "arepa con queso 7", "la loteria del sabado", "Zq7-uKm2", "7h3-Bq9!x",
		"tomate.lunes.rio", "playa-el-agua-92", "48210573", "Guacamaya_73_azul", "perico y cambur", "mango verde con sal", "q8J2vN5x", "el avila de noche", "correct-horse-battery-staple",
		"a long secret", "wheels within wheels", "pabellon criollo!", "noche de San Juan", "Ru1senor!", "amor y mas amor", "x9$Lm2@q", "trompo y perinola", "#~]%=;{@!(|+^)*/?<>_", "%;[@&/]!", "*?=,|@@#~!",
	} {
		assert.False(t, common(password), password)
	}
}
