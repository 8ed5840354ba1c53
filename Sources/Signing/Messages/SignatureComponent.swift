public import HTTPMessages

/// A part of a message that a signature covers (RFC 9421, section 2): a field, or one derived from the message.
///
/// ```swift
/// let components: [SignatureComponent] = [.method, .targetURI, .contentDigest, .field(.date)]
/// ```
public struct SignatureComponent: Sendable {
    /// The name: of a field in lower case, or a derived one that begins with `@`.
    public let name: String
    /// The parameters, such as `sf`, `key`, `bs`, `req` and `name`; their order is only that of ``description``.
    public private(set) var parameters: StructuredParameters
    /// The name in quotes with its parameters; nil if one cannot be written.
    let identifier: String?

    init(name: String, parameters: StructuredParameters = [:]) {
        self.name = name
        self.parameters = parameters
        identifier =
            parameters.isEmpty
            ? "\"\(name)\"" : try? StructuredItem(.string(name), parameters: parameters).text()
    }

    /// The method.
    public static let method = SignatureComponent(name: "@method")
    /// The whole URL without its fragment.
    public static let targetURI = SignatureComponent(name: "@target-uri")
    /// The host in lower case, and the port unless it is the scheme's own.
    public static let authority = SignatureComponent(name: "@authority")
    /// The scheme in lower case.
    public static let scheme = SignatureComponent(name: "@scheme")
    /// The path and the query, as the request line has them.
    public static let requestTarget = SignatureComponent(name: "@request-target")
    /// The path.
    public static let path = SignatureComponent(name: "@path")
    /// The query with its question mark; the mark alone without one.
    public static let query = SignatureComponent(name: "@query")
    /// The status of a response.
    public static let status = SignatureComponent(name: "@status")
    /// The field `Content-Digest`, which is added to a request that does not have it.
    public static let contentDigest = field(.contentDigest)

    /// The value of one parameter of the query, which must occur once.
    /// - Parameter name: the decoded name.
    public static func queryParameter(_ name: String) -> SignatureComponent {
        SignatureComponent(name: "@query-param", parameters: ["name": .string(name.utf8.queryParameterEncoded)])
    }

    /// A field: the values of all its lines, joined by commas.
    public static func field(_ name: HTTPFieldName) -> SignatureComponent {
        SignatureComponent(name: name.canonicalName)
    }

    /// The field in the one form that its structured value has (`sf`), which is the same however it is written.
    public var structured: SignatureComponent { adding("sf", .bool(true)) }

    /// One member of the field, which is a dictionary (`key`).
    public func member(_ key: String) -> SignatureComponent { adding("key", .string(key)) }

    /// The lines of the field as bytes (`bs`), for values that commas cannot join, such as `Set-Cookie`.
    public var bytes: SignatureComponent { adding("bs", .bool(true)) }

    /// For a response: the part of the request that it answers (`req`).
    public var ofRequest: SignatureComponent { adding("req", .bool(true)) }

    private func adding(_ key: String, _ value: StructuredValue) -> SignatureComponent {
        var parameters = parameters
        parameters[key] = value
        return SignatureComponent(name: name, parameters: parameters)
    }

    /// Reads an item of `Signature-Input`; nil if it is not the name of a component in lower case.
    init?(_ item: StructuredItem) {
        guard case .string(let name) = item.value, name == name.lowercased(), !name.isEmpty else { return nil }
        self.init(name: name, parameters: item.parameters)
    }

    var item: StructuredItem { StructuredItem(.string(name), parameters: parameters) }
}

extension SignatureComponent: Hashable {
    /// The same name and the same parameters, in any order (RFC 9421, section 2).
    public static func == (left: SignatureComponent, right: SignatureComponent) -> Bool {
        left.name == right.name && left.parameters.count == right.parameters.count
            && left.parameters.allSatisfy { right.parameters[$0.key] == $0.value }
    }

    /// Hashes the name and the parameters, in any order.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        if !parameters.isEmpty { hasher.combine(Set(parameters)) }
    }
}

extension SignatureComponent: CustomStringConvertible {
    /// The identifier of RFC 9421.
    public var description: String { identifier ?? "\"\(name)\"" }
}

extension HTTPFieldName {
    /// `Content-Digest` (RFC 9530)
    static let contentDigest = HTTPFieldName(signing: "Content-Digest")
    /// `Signature-Input` (RFC 9421)
    static let signatureInput = HTTPFieldName(signing: "Signature-Input")
    /// `Signature` (RFC 9421)
    static let signature = HTTPFieldName(signing: "Signature")

    /// - Parameter name: a token.
    init(signing name: String) {
        do { self = try HTTPFieldName(name) } catch { preconditionFailure("\(name) is a token") }
    }
}
