import Foundation
public import HTTPMessages
public import PatchbayErrors

/// Problem details of a failed request: the body of media type `application/problem+json` (RFC 9457).
///
/// ```swift
/// if let problem = Problem(response), problem.type == "https://example.com/probs/out-of-credit" {
///     print(problem.title ?? "", problem["balance"]?.integer ?? 0)
/// }
/// ```
///
/// A member of the wrong type is ignored, as the RFC demands (section 3.1). Any other member is an extension.
public struct Problem: Hashable, Sendable {
    /// The type of the problem, a URI reference; `about:blank` means that the status says it all.
    public var type: String
    /// A short text for people, the same for each problem of the type.
    public var title: String?
    /// The status that the server chose; a proxy may have changed the one of the response.
    public var status: HTTPStatus?
    /// A text for people about this occurrence.
    public var detail: String?
    /// The URI reference of this occurrence.
    public var instance: String?
    /// The extension members, by name.
    public var extensions: [String: JSONValue]

    /// Creates a problem.
    public init(
        type: String = "about:blank", title: String? = nil, status: HTTPStatus? = nil, detail: String? = nil,
        instance: String? = nil, extensions: [String: JSONValue] = [:]
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.instance = instance
        self.extensions = extensions
    }

    /// Creates the problem of a JSON object; nil for any other value.
    public init?(_ json: JSONValue) {
        guard var members = json.object else { return nil }
        type = members["type"]?.string ?? "about:blank"
        title = members["title"]?.string
        status = members["status"]?.integer.flatMap { Int(exactly: $0) }.flatMap { HTTPStatus($0) }
        detail = members["detail"]?.string
        instance = members["instance"]?.string
        for name in Self.standardNames { members[name] = nil }
        extensions = members
    }

    /// Creates the problem in the body of a response; nil if the body has another media type or is not a JSON object.
    public init?(_ response: HTTPResponse) {
        guard response.mediaType?.matches(.problem) == true, let json = try? response.jsonText(),
            let value = try? JSONValue(parsing: json)
        else { return nil }
        self.init(value)
    }

    /// The extension member of a name.
    public subscript(name: String) -> JSONValue? { extensions[name] }

    private static let standardNames = ["type", "title", "status", "detail", "instance"]
}

extension Problem: Codable {
    /// Decodes a problem from a JSON object.
    public init(from decoder: any Decoder) throws {
        guard let problem = Problem(try JSONValue(from: decoder)) else {
            throw DecodingError.typeMismatch(
                Problem.self,
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: "Problem details are a JSON object."))
        }
        self = problem
    }

    /// Encodes the members; extensions with the name of another member are omitted.
    public func encode(to encoder: any Encoder) throws {
        var members = extensions
        for name in Self.standardNames { members[name] = nil }
        if type != "about:blank" { members["type"] = .string(type) }
        members["title"] = title.map { .string($0) }
        members["status"] = status.map { .integer(Int64($0.code)) }
        members["detail"] = detail.map { .string($0) }
        members["instance"] = instance.map { .string($0) }
        try JSONValue.object(members).encode(to: encoder)
    }
}

extension Problem: RedactedStringConvertible {
    /// Status, title and detail on one line, with secrets redacted; the type if there are none of these.
    public var description: String {
        let parts = [status?.description, title, detail].compactMap(\.self)
        let text = parts.isEmpty ? type : parts.joined(separator: ": ")
        return BodyExcerpt.text(of: Data(text.utf8), as: .plainText) ?? "about:blank"
    }
}
