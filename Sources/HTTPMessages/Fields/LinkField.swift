public import Foundation
public import PatchbayErrors

/// The `Link` field: links of a resource to others, such as the next page (RFC 8288).
///
/// ```swift
/// let links = try LinkField(response.fields)
/// let next = try links["next"]?.url(relativeTo: response.url)
/// ```
public struct LinkField: Hashable, Sendable {
    /// One link.
    public struct Link: Hashable, Sendable {
        /// The target as written: a URL, or a reference relative to the one of the response.
        public let target: String
        /// The relation types, in lower case, such as `next`.
        public let relations: [String]
        private let parameters: FieldParameters

        /// Creates a link.
        /// - Parameter target: characters that no URL may have, and angle brackets, are percent-encoded.
        public init(_ target: String, relations: [String], title: String? = nil) {
            var parameters = FieldParameters()
            parameters.append("rel", relations.joined(separator: " "))
            if let title { parameters.append("title", title) }
            self.init(target.percentEncoded(except: .link), parameters)
        }

        fileprivate init(_ target: String, _ parameters: FieldParameters) {
            self.target = target
            self.parameters = parameters
            relations = (parameters["rel"] ?? "").lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
        }

        /// The first value of a parameter, by its case-insensitive name: `title`, `type`, `hreflang`, `anchor`.
        public subscript(parameter: String) -> String? { parameters[parameter.lowercased()] }

        /// The target as a URL.
        /// - Parameter base: the URL of the response.
        /// - Throws: `HTTPMessageError` (`invalidURL`).
        public func url(relativeTo base: URL) throws(HTTPMessageError) -> URL {
            let reference = URLReference(target[...]).resolved(against: URLReference(base.absoluteString[...]))
            return try URL(httpString: reference.text)
        }

        fileprivate var text: String { "<\(target)>\(parameters.text)" }

        /// The link with its target and other URLs redacted, and without the values of secret parameters.
        fileprivate func redacted(_ redaction: Redaction) -> String {
            func redacted(url: String) -> String {
                URL(string: url).map { redaction.redacted($0) } ?? Redaction.placeholder
            }
            let parameters = parameters.mapValues { name, value in
                if redaction.isSecret(name) { return Redaction.placeholder }
                if name == "anchor" { return redacted(url: value) }
                // An extended one is percent-encoded.
                let plain = name.hasSuffix("*") ? String(extendedValue: value) ?? value : value
                let shown = redaction.redacted(line: plain)
                return shown == plain.onOneLine ? value : shown
            }
            // The first angle bracket would end the target.
            return "<\(redacted(url: target).percentEncoded(except: .link))>\(parameters.text)"
        }

        /// The redacted target and the relation types.
        fileprivate var redacted: String {
            let url = URL(string: target).map(Redaction.standard.redacted) ?? Redaction.placeholder
            return "<\(url)>; rel=\(relations.joined(separator: " ").tokenOrQuotedString)"
        }
    }

    /// The most bytes of a field that is read: 64 KiB.
    public static let maximumBytes = 65_536

    /// The links, in order.
    public let links: [Link]

    /// Creates a field.
    public init(_ links: [Link]) { self.links = links }

    /// Parses the field of a response; a response without it has no links.
    /// - Throws: `HTTPMessageError` (`invalidFieldValue`), since a link that is not understood may be the next page.
    public init(_ fields: HTTPFields) throws(HTTPMessageError) { try self.init(fields[.link] ?? "") }

    /// Parses a field value. Parameters that are malformed are skipped.
    /// - Throws: `HTTPMessageError` (`invalidFieldValue`) where a target in angle brackets is missing, and beyond
    ///   ``maximumBytes``.
    public init(_ text: String) throws(HTTPMessageError) {
        guard text.utf8.count <= Self.maximumBytes else {
            throw HTTPMessageError(
                .invalidFieldValue,
                "Header field Link has \(text.utf8.count) bytes; the limit is \(Self.maximumBytes).")
        }
        var scanner = FieldScanner(text)
        var links: [Link] = []
        while true {
            scanner.skip { $0.isHTTPWhitespace || $0 == UInt8(ascii: ",") }
            guard scanner.next != nil else { break }
            let start = scanner.position
            guard scanner.take("<") else { throw Self.malformed(at: start) }
            scanner.skip { $0 != UInt8(ascii: ">") }
            let target = scanner.text(from: start + 1).trimmingHTTPWhitespace
            guard scanner.take(">") else { throw Self.malformed(at: start) }
            links.append(Link(target, scanner.takeParameters(endsAtComma: true)))
        }
        self.links = links
    }

    /// The first link with a relation type, by its case-insensitive name. Links of other resources, which have an
    /// `anchor`, do not count.
    public subscript(relation: String) -> Link? {
        let relation = relation.lowercased()
        return links.first { $0.relations.contains(relation) && $0["anchor"] == nil }
    }

    /// The field value.
    public var text: String { links.map(\.text).joined(separator: ", ") }

    /// The field value without what a policy says is secret.
    func redacted(_ redaction: Redaction) -> String { links.map { $0.redacted(redaction) }.joined(separator: ", ") }

    private static func malformed(at offset: Int) -> HTTPMessageError {
        HTTPMessageError(
            .invalidFieldValue,
            "Malformed header field Link at offset \(offset): expected a target in angle brackets, such as </next>.")
    }
}

extension LinkField: RedactedStringConvertible {
    /// The targets with secrets redacted, and their relation types.
    public var description: String { links.map(\.redacted).joined(separator: ", ") }
}

extension LinkField.Link: RedactedStringConvertible {
    /// The target with secrets redacted, and the relation types.
    public var description: String { redacted }
}

extension UnescapedCharacters {
    /// All characters of URLs, and the percent sign of what is encoded.
    fileprivate static let link = UnescapedCharacters(alphanumericsAnd: "-._~:/?#[]@!$&'()*+,;=%")
}
