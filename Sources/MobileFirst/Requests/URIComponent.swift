import HTTPMessages

/// Percent-encoding of query and form values, as JavaScript's `encodeURIComponent`, which the vendor's server expects.
///
/// All of the UTF-8 is encoded once, except letters, digits and `-_.!~*'()`. So an adapter's `['value1']` keeps its
/// quotes.
enum URIComponent {
    static func encode(_ text: String) -> String { text.percentEncoded(except: .uriComponent) }

    /// A name and a value; the name alone without a value.
    static func encode(_ name: String, _ value: String?) -> String {
        encode(name) + (value.map { "=" + encode($0) } ?? "")
    }

    /// Names and values as the text of a query or a form.
    static func encode(_ pairs: [(String, String)]) -> String {
        pairs.map { encode($0.0, $0.1) }.joined(separator: "&")
    }
}
