package kit

// EntitySuggestions is the address of the suggestions of entities, which the area of the organisation serves.
const EntitySuggestions = "/admin/organisation/suggest"

// entityLength bounds the typed text for an entity.
const entityLength = 160

// EntityField returns a field of a filter that finds an entity by its name or code.
func EntityField(name, label string) FilterField { return PickerField(name, label, EntitySuggestions) }

// EntityInput returns a field of a form that finds an entity by its name or code.
func EntityInput(name, label string) Input {
	return TextInput(name, label, entityLength).With("spellcheck=false").SuggestFrom(EntitySuggestions).
		WithRule("field.entity", false).At("entity_id", "ENTITY_NOT_FOUND")
}
