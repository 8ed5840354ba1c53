public import HTTPMessages
public import PatchbayErrors

/// A credential that is one header field, such as that of Basic or a fixed bearer token.
public struct FieldCredential: Hashable, Sendable, RedactedStringConvertible {
    let fields: HTTPFields

    /// Creates a credential.
    /// - Throws: ``AuthenticationError`` (`invalidCredential`) if the value contains a control character.
    public init(_ value: String, in name: HTTPFieldName = .authorization) throws(AuthenticationError) {
        var fields = HTTPFields()
        do {
            try fields.set(name, to: value)
        } catch {
            throw AuthenticationError(
                .invalidCredential,
                "Invalid credential: contains a line break or another control character; remove it.")
        }
        self.fields = fields
    }

    /// Replaces the field of a request.
    public func apply(to request: inout HTTPRequest) { request.fields = request.fields.merging(fields) }

    /// The name of the field.
    public var description: String { "\(fields.first?.name.rawName ?? ""): \(Redaction.placeholder)" }
}

/// The scope of authorizers with one credential.
public struct SingleScope: Hashable, Sendable {
    /// The only scope.
    public init() {}
}
