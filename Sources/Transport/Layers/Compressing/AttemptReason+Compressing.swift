public import HTTPMessages

extension AttemptReason {
    /// The server refused the request with a compressed body.
    public static let uncompressed = AttemptReason("uncompressed")
}
