import HTTPMessages

/// Resolves the links of one document, within limits: each relative link is stored with a copy of its base.
struct ODataLinkResolver {
    /// Maximum bytes of a base URL.
    static let maximumBase = 8 << 10

    private let maximumCopies: Int
    private var copied = 0

    /// - Parameter maximumCopies: maximum bytes of the bases of all relative links, each counted for each of its links.
    init(maximumCopies: Int = 128 << 20) { self.maximumCopies = maximumCopies }

    /// Returns a base URL without its fragment, which no link has.
    /// - Throws: ``ODataError`` (`limitExceeded`).
    static func base(_ url: String) throws(ODataError) -> String {
        let base = url.utf8.prefix { $0 != UInt8(ascii: "#") }
        guard base.count <= maximumBase else {
            throw ODataError(.limitExceeded, "A base URL of the document has more than \(maximumBase) bytes.")
        }
        return String(Substring(base))
    }

    /// Returns the URL of a link.
    /// - Throws: ``ODataError`` (`limitExceeded`).
    mutating func resolved(_ link: String, in base: String?) throws(ODataError) -> String {
        guard let base else { return link }
        let reference = URLReference(link[...])
        if reference.scheme == nil { copied += base.utf8.count }
        guard copied <= maximumCopies else {
            throw ODataError(
                .limitExceeded,
                "The relative links of the document have more than \(maximumCopies) bytes with their base URLs; "
                    + "request fewer entries.")
        }
        return reference.resolved(against: URLReference(base[...])).text
    }
}
