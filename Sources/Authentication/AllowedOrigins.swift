public import Foundation
public import HTTPMessages

/// The origins that may get a credential: scheme, host and port of each.
///
/// ```swift
/// let origins = try AllowedOrigins("https://api.example.com", "https://files.example.com")
/// ```
public struct AllowedOrigins: Hashable, Sendable, CustomStringConvertible {
    /// Nil allows every origin.
    private let origins: [Origin]?

    private init(_ origins: [Origin]?) { self.origins = origins }

    /// Creates a list from URLs, whose paths and queries are ignored.
    /// - Throws: `HTTPMessageError` (`invalidURL`, `unsupportedScheme`, `userInfoInURL`).
    public init(_ urls: String...) throws(HTTPMessageError) {
        var origins: [Origin] = []
        for url in urls { origins.append(try HTTPRequest.normalized(URL(httpString: url)).1) }
        self.init(origins)
    }

    /// Creates a list from URLs, whose paths and queries are ignored.
    /// - Throws: `HTTPMessageError` (`invalidURL`, `unsupportedScheme`, `userInfoInURL`).
    public init(_ urls: some Sequence<URL>) throws(HTTPMessageError) {
        var origins: [Origin] = []
        for url in urls { origins.append(try HTTPRequest.normalized(url).1) }
        self.init(origins)
    }

    /// Every origin: only for an authorizer whose ``Authorizer/scope(of:)`` and reactions choose the origins.
    public static let chosenByAuthorizer = AllowedOrigins(nil as [Origin]?)

    /// True if the origin of a URL is in the list.
    public func contains(_ url: URL) -> Bool { origins?.contains(Origin(url)) ?? true }

    /// True if an origin is in the list.
    package func contains(_ origin: Origin) -> Bool { origins?.contains(origin) ?? true }

    /// The origins.
    public var description: String { origins.map { $0.map(\.text).joined(separator: ", ") } ?? "every origin" }
}
