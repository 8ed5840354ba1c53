public import HTTPMessages

/// Decoder that ignores the body.
public struct EmptyResponseDecoder: ResponseDecoder {
    /// Creates a decoder.
    public init() {}

    /// Returns without reading the body.
    public func decode(_ response: HTTPResponse) {}
}

extension ResponseDecoder where Self == EmptyResponseDecoder {
    /// Ignores the body.
    public static var empty: EmptyResponseDecoder { EmptyResponseDecoder() }
}
