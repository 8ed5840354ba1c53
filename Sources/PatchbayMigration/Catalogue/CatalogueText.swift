/// The text of the catalogue, one vendor at a time; `.ci/check-migrate` derives it from the API lists and the guides.
///
/// A line is a head (`vendor`, `guide`, `prefixes`, `imports`, `objc`, `types`, `protocols`), a name, or a note.
///
/// - `Type : Supertypes | member(label:)>Result member>Result? value>()`: a name of the module's API. A `?` is a
///   result that may be nil or is implicitly unwrapped, `()` a value that can be called, `+` before a name a member of
///   the type itself, `=` before a label one that a call may leave out. `Name = Type` is another name of a type.
/// - `+ Type | members`: an open class, and what a subclass of the app may override.
/// - `= Type.member | link | text`: works otherwise, as a section of the guide says.
/// - `~ Type.member | other`: works under another name.
/// - `- Type.member | link | text`: missing; the text says what to do.
/// - `! Type.member | Types | Types`: the types of the parameters of a delegate's or a handler's method, and of its
///   overloads.
package enum CatalogueText {
    /// All vendors, in the order of a report.
    package static let all = [akula, hyperHive, oracleCX, mobileFirst, sDMConnectivity]
}
