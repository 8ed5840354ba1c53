/// A link of an entry (RFC 4287, section 4.2.7).
public struct ODataLink: Hashable, Sendable {
    /// The relation, such as `edit`, or a URI that ends with the name of a navigation property.
    ///
    /// `next` for the further entries of an expanded navigation property, if the server sent only a part of them.
    public let relation: String
    /// The name of the navigation property, for `next` its place in the entry, such as `Items` or `Items[0].Parts`;
    /// otherwise the link's own title.
    public let title: String?
    /// The URL, resolved against `xml:base` or the context, which have at most 8 KiB; relative if there is none.
    public let href: String
    /// The media type of the target.
    public let type: String?
}
