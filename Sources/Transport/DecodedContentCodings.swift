package import HTTPMessages

/// The key of the content codings that the engine has decoded.
private enum DecodedContentCodingsKey: ResponseMetadataKey {
    static var defaultValue: String? { nil }
}

extension HTTPResponseHead {
    /// The value of `Content-Encoding` as received, if the engine has decoded the body and removed the field; else nil.
    package var decodedContentCodings: String? {
        get { self[DecodedContentCodingsKey.self] }
        set { self[DecodedContentCodingsKey.self] = newValue }
    }
}
