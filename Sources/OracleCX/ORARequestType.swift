/// The verb of a request. Old code writes ``POST`` and ``GET``.
public enum ORARequestType: Hashable, Sendable {
    /// Sends the payload or the body.
    case post
    /// Adds the payload to the query.
    case get
}

// The vendor's are constants of C, which Swift sees without a prefix.

/// A request that sends its payload or its body.
public let POST = ORARequestType.post  // swift-format-ignore: AlwaysUseLowerCamelCase
/// A request that adds its payload to the query.
public let GET = ORARequestType.get  // swift-format-ignore: AlwaysUseLowerCamelCase
