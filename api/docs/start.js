// The log-in of the documentation, and its colours. The access token stays in the memory of the page.
const explorer = document.querySelector("openapi-explorer");
const state = document.getElementById("state");

const themes = {
  light: { "bg-color": "#ffffff", "secondary-color": "#9a5b00", "header-bg-color": "#f3f5f7", "text-color": "#1f2933", "primary-color": "#1d5fa8", "header-color": "#1d5fa8", "nav-bg-color": "#f3f5f7",
    "nav-text-color": "#1f2933", "nav-hover-bg-color": "#e1e7ed", "nav-hover-text-color": "#1d5fa8" },
  dark: { "bg-color": "#14181d", "secondary-color": "#e0a52b", "header-bg-color": "#1d232a", "text-color": "#d7dee6", "primary-color": "#7db7f0", "header-color": "#7db7f0", "nav-bg-color": "#1d232a",
    "nav-text-color": "#d7dee6", "nav-hover-bg-color": "#2b333c", "nav-hover-text-color": "#7db7f0" },
};
const dark = window.matchMedia("(prefers-color-scheme: dark)");
function paint() {
  for (const [name, value] of Object.entries(dark.matches ? themes.dark : themes.light)) {
    explorer.setAttribute(name, value);
  }
}
paint();
dark.addEventListener("change", paint);

document.getElementById("login").addEventListener("submit", async (event) => {
  event.preventDefault();
  const field = (id) => document.getElementById(id).value;
  state.textContent = "…";
  try {
    const response = await fetch("auth/login", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ identifier: field("identifier"), password: field("password") }),
    });
    const answer = await response.json();
    if (!response.ok) {
      state.textContent = answer.detail;
      return;
    }
    await explorer.setAuthenticationConfiguration("bearer", { token: answer.data.access_token });
    document.getElementById("password").value = "";
    state.textContent = "logged in";
  } catch (err) {
    state.textContent = String(err);
  }
});
