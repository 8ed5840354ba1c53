public import HTTPMessages

private enum BodyCompressionKey: RequestOptionKey { static var defaultValue: Bool { true } }

extension RequestOptions {
    /// False to send the body as it is through ``CompressingRequests``; default true.
    ///
    /// Set it for a body with a digest or signature in a form that the layer does not know.
    public var allowsBodyCompression: Bool {
        get { self[BodyCompressionKey.self] }
        set { self[BodyCompressionKey.self] = newValue }
    }
}
