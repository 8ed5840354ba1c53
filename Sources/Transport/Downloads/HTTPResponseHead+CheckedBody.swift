package import HTTPMessages

private enum CheckedBodyKey: ResponseMetadataKey { static var defaultValue: Bool { false } }

extension HTTPResponseHead {
    /// True if a layer checks the streamed body at its end: before that nothing is known about its bytes.
    package var isCheckedAtEnd: Bool {
        get { self[CheckedBodyKey.self] }
        set { self[CheckedBodyKey.self] = newValue }
    }
}
