/// The method of a request. Old code writes ``POST`` and ``GET``.
public enum ORARequestType: Hashable, Sendable {
    /// Sends the body or payload.
    case post
    /// Adds the payload to the query.
    case get
}

// The vendor's constants are C enum cases, which Swift imports as globals without a prefix.

/// A POST, which sends its body or payload.
public let POST = ORARequestType.post  // swift-format-ignore: AlwaysUseLowerCamelCase
/// A GET, which adds its payload to the query.
public let GET = ORARequestType.get  // swift-format-ignore: AlwaysUseLowerCamelCase
