import Foundation
import HTTPMessages

/// The text that a signature of AWS covers: "Create a canonical request" of the IAM user guide.
struct AWSCanonicalRequest {
    let method: String
    /// The path in its canonical form.
    let path: String
    /// The parameters of the query, encoded and ordered.
    let query: String
    /// The names of the signed fields, separated by semicolons.
    let signedFields: String
    private let fields: [(name: String, value: String)]
    let payloadHash: String

    /// - Parameters:
    ///   - query: the parameters as in a URL; nil without a query.
    ///   - fields: the fields to sign, in their order, with `host`.
    init(method: String, path: String, query: String, fields: [(name: String, value: String)], payloadHash: String) {
        self.method = method
        self.path = path
        self.query = Self.canonicalQuery(query)
        self.payloadHash = payloadHash
        var values: [String: [String]] = [:]
        for field in fields { values[field.name.lowercased(), default: []].append(field.value.trimmingInnerSpaces) }
        self.fields = values.sorted { $0.key < $1.key }.map { ($0.key, $0.value.joined(separator: ",")) }
        signedFields = self.fields.map(\.name).joined(separator: ";")
    }

    var text: String {
        ([method, path, query] + fields.map { "\($0.name):\($0.value)" } + ["", signedFields, payloadHash])
            .joined(separator: "\n")
    }

    /// The parameters decoded, encoded in the one form, and ordered by name and value.
    static func canonicalQuery(_ query: String) -> String {
        query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? parts[1] : ""
            return (parts[0].utf8.percentDecoded().awsEncoded(), value.utf8.percentDecoded().awsEncoded())
        }
        .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
        .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    }

    /// A path without dot segments and repeated slashes.
    static func normalizedPath(_ path: String) -> String {
        var kept: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: true)
        for segment in segments {
            if segment == ".." { _ = kept.popLast() } else if segment != "." { kept.append(segment) }
        }
        let isFolder = path.hasSuffix("/") || [".", ".."].contains(segments.last)
        return "/" + kept.joined(separator: "/") + (isFolder && !kept.isEmpty ? "/" : "")
    }
}

extension String {
    /// Without spaces around it, and with one in place of several.
    fileprivate var trimmingInnerSpaces: String {
        split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
    }
}
