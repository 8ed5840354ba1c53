import HTTPMessages
import Transport

/// The part of a cache key beside the URL: the user, other origins on the way, the page, the content of a `QUERY`, and
/// the fields in `Vary`.
///
/// A text whose parts are separated by line feeds, which no field value contains.
enum Variant {
    /// The most names in a `Vary`: a response with more is not stored.
    static let maximumNames = 64
    /// Longer values are hashed.
    private static let maximumValueLength = 128

    /// The lower-case names in `Vary`, sorted, each once; nil for `*`, malformed names, and too many of them.
    static func names(in fields: HTTPFields) -> [String]? {
        guard let text = fields[.vary] else { return [] }
        let names = Set(FieldRules.names(in: text))
        guard names.count <= maximumNames, names.allSatisfy({ $0.isHTTPToken && $0 != "*" }) else { return nil }
        return names.sorted()
    }

    /// The key of a request among the variants of its URL.
    /// - Parameter names: those of ``names(in:)``.
    static func key(of lookup: CacheLookup, names: [String], _ hash: KeyedHash) -> String {
        guard !names.isEmpty else { return lookup.prefix }
        return key(lookup.prefix, names, lookup.fields) { name, value in
            // Secrets are compared by a keyed hash, so that they are not stored.
            isSecret(name) || lookup.credentialFields.contains(name) || value.utf8.count > maximumValueLength
                ? hash.text(of: value) : value
        }
    }

    /// The key of a request by the values themselves; nil if one of them may be a secret.
    static func plainKey(of request: HTTPRequest, names: [String]) -> String? {
        let fields = names.compactMap { try? HTTPFieldName($0) }
        let credentialFields = request.options.credentialFields
        guard !fields.contains(where: { isSecret($0) || credentialFields.contains($0) }) else { return nil }
        return key("", names, request.fields) { $1 }
    }

    private static func key(
        _ prefix: String, _ names: [String], _ request: HTTPFields,
        _ text: (_ name: HTTPFieldName, _ value: String) -> String
    ) -> String {
        var key = prefix
        for name in names {
            key += "\n\(name)"
            guard let field = try? HTTPFieldName(name), let value = request[field] else { continue }
            key += "\n\t" + text(field, normalized(value, of: name))
        }
        return key
    }

    private static func isSecret(_ name: HTTPFieldName) -> Bool {
        FieldRules.isSecret(name.canonicalName) || SecretNames.standard.contains(name.canonicalName)
    }

    /// A value without the whitespace beside commas; languages also in lower case and in a fixed order.
    private static func normalized(_ value: String, of name: String) -> String {
        let isLanguage = name == "accept-language"
        guard isLanguage || value.utf8.contains(UInt8(ascii: ",")) else { return value }
        // Quoted commas are not split: the strings then differ more often than they must, never less.
        guard isLanguage || !value.utf8.contains(UInt8(ascii: "\"")) else { return value }
        var elements = value.split(separator: ",", omittingEmptySubsequences: false)
            .map { String($0).trimmingHTTPWhitespace }
        if isLanguage { elements = elements.map { $0.lowercased() }.filter { !$0.isEmpty }.sorted() }
        return elements.joined(separator: ",")
    }
}

extension String {
    /// True for the key of a variant by fields, for a user and a content.
    func isVariant(of prefix: String) -> Bool { follows(prefix, [UInt8(ascii: "\n")]) }

    /// True for a key of a user.
    func isKey(in partition: String) -> Bool { follows(partition, [UInt8(ascii: "\n"), UInt8(ascii: "\r")]) }

    private func follows(_ prefix: String, _ separators: [UInt8]) -> Bool {
        guard utf8.starts(with: prefix.utf8) else { return false }
        return utf8.dropFirst(prefix.utf8.count).first.map(separators.contains) ?? true
    }
}
