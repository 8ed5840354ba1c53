#if !canImport(Darwin)
    import Foundation

    /// The system's background session, which Linux does not have.
    enum BackgroundURLSession {
        static func maker(
            of name: String, _ network: URLSessionTransport.NetworkOptions
        ) throws(TransportError) -> BackgroundTransferEngine.MakeSession {
            throw TransportError(
                .unsupported,
                "This platform has no background sessions: transfers end with the process. Use `download` with "
                    + "`resumes`, or `upload(_:to:resuming:)` with a record, which continue at the next launch.")
        }
    }
#endif
