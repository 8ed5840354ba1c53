public import Foundation
public import HTTPMessages
public import PatchbayErrors

/// An access token (RFC 6749, section 1.4), sent as a bearer token (RFC 6750).
///
/// Its description has neither the token nor the refresh token.
public struct OAuthToken: Hashable, Sendable {
    /// The header field is made once, so that requests only copy a reference.
    private final class Contents: Hashable, Sendable {
        let value: String
        let scope: OAuthScope
        let expiry: Date?
        let refreshToken: String?
        let fields: HTTPFields

        init(value: String, scope: OAuthScope, expiry: Date?, refreshToken: String?, fields: HTTPFields) {
            self.value = value
            self.scope = scope
            self.expiry = expiry
            self.refreshToken = refreshToken
            self.fields = fields
        }

        static func == (left: Contents, right: Contents) -> Bool {
            left === right
                || left.value == right.value && left.scope == right.scope && left.expiry == right.expiry
                    && left.refreshToken == right.refreshToken
        }

        func hash(into hasher: inout Hasher) { hasher.combine(value) }
    }

    private let contents: Contents

    /// Creates a token.
    /// - Parameters:
    ///   - value: the token as the server issued it.
    ///   - scope: the scope that the server granted.
    ///   - expiry: the time at which it expires; nil if unknown.
    ///   - refreshToken: the token for obtaining the next one; nil without one.
    /// - Throws: ``AuthenticationError`` (`invalidCredential`) if the value has a character outside of RFC 6750,
    ///   section 2.1: letters, digits, `-._~+/`, and `=` at the end.
    public init(
        _ value: String, scope: OAuthScope = .empty, expiry: Date? = nil, refreshToken: String? = nil
    ) throws(AuthenticationError) {
        let padding = value.utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        let data = value.utf8.dropLast(padding)
        guard !data.isEmpty, data.allSatisfy(\.isToken68Byte) else {
            throw AuthenticationError(
                .invalidCredential,
                "Invalid bearer token: use letters, digits and -._~+/, with = at the end only.")
        }
        contents = Contents(
            value: value, scope: scope, expiry: expiry, refreshToken: refreshToken,
            fields: try FieldCredential("Bearer \(value)").fields)
    }

    /// The token.
    public var value: String { contents.value }
    /// The scope that the server granted.
    public var scope: OAuthScope { contents.scope }
    /// The time at which it expires; nil if unknown.
    public var expiry: Date? { contents.expiry }
    /// The token for obtaining the next one; nil without one.
    public var refreshToken: String? { contents.refreshToken }

    /// The value of the field `Authorization`: `Bearer` and the token.
    public var fieldValue: String { "Bearer \(value)" }

    /// The time from a date to the expiry; nil if that is unknown, negative after it.
    public func lifetime(at date: Date) -> Duration? {
        expiry.map { .seconds(min(max($0.timeIntervalSince(date), -1e9), 1e9)) }
    }

    /// Replaces the field `Authorization` of a request.
    public func apply(to request: inout HTTPRequest) { request.fields = request.fields.merging(contents.fields) }
}

extension OAuthToken: RedactedStringConvertible, CustomDebugStringConvertible {
    /// The scope and the expiry.
    public var description: String {
        "token for \(scope.isEmpty ? "the default scope" : "scope \(scope)")"
            + (expiry.map { ", expires \($0.formatted(.iso8601))" } ?? "")
    }
    /// Same as ``description``.
    public var debugDescription: String { description }
}

extension Authorizer where Credential == OAuthToken {
    /// Sets the field `Authorization`.
    public func authorize(_ request: inout HTTPRequest, with credential: OAuthToken) { credential.apply(to: &request) }
}
