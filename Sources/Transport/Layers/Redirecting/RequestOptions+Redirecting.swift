public import HTTPMessages

private enum SecretBodyKey: RequestOptionKey { static var defaultValue: Bool { false } }

extension RequestOptions {
    /// Whether the body contains credentials, so that no redirect sends it to another origin; default false.
    ///
    /// ``Redirecting`` refuses such a redirect with `redirectRefused`.
    public var hasSecretBody: Bool {
        get { self[SecretBodyKey.self] }
        set { self[SecretBodyKey.self] = newValue }
    }
}
