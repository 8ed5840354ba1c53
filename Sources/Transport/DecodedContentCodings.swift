public import HTTPMessages

/// The key of the content codings that the engine has decoded.
private enum DecodedContentCodingsKey: ResponseMetadataKey {
    static var defaultValue: String? { nil }
}

extension HTTPResponseHead {
    /// The value of `Content-Encoding` as received, if the engine has decoded the body; else nil.
    ///
    /// An engine that decodes a body removes `Content-Encoding` and `Content-Length` from
    /// `HTTPResponseHead.fields` and sets this.
    public var decodedContentCodings: String? {
        get { self[DecodedContentCodingsKey.self] }
        set { self[DecodedContentCodingsKey.self] = newValue }
    }
}
