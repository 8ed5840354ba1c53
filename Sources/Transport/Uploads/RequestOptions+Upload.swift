package import HTTPMessages

private enum UploadStepKey: RequestOptionKey { static var defaultValue: Bool { false } }

extension RequestOptions {
    /// True for a request of a resumable upload.
    ///
    /// The upload asks the server what has arrived before it sends a part again. A layer gives the request no
    /// `Idempotency-Key`, and sends again only what has certainly not arrived.
    package var isUploadStep: Bool {
        get { hasLayerOptions && self[UploadStepKey.self] }
        set { self[UploadStepKey.self] = newValue }
    }
}
