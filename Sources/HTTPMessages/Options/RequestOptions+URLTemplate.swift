private enum URLTemplateKey: RequestOptionKey { static var defaultValue: String? { nil } }

extension RequestOptions {
    /// The template of the request's path, such as `/items/{id}`, for metrics and traces; default nil.
    ///
    /// There are few templates, and many paths. An `APIClient` sets it.
    public var urlTemplate: String? {
        get { hasLayerOptions ? self[URLTemplateKey.self] : nil }
        set { self[URLTemplateKey.self] = newValue }
    }
}
