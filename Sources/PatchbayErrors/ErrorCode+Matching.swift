extension ErrorCode {
    /// A code is no number, and no HTTP status.
    @available(
        *, unavailable,
        message:
            "compare with the name of a code; an HTTP status is a property of the error, the response or the request"
    )
    public static func == (code: Self, number: Int) -> Bool { code.number == number }

    /// A code is no number, and no HTTP status.
    @available(
        *, unavailable,
        message:
            "compare with the name of a code; an HTTP status is a property of the error, the response or the request"
    )
    public static func != (code: Self, number: Int) -> Bool { code.number != number }
}

/// Matches the code of an error in a `catch`: `catch TransportError.Code.timedOut`.
public func ~= <Failure: PatchbayError>(code: ErrorCode<Failure>, error: any Error) -> Bool {
    (error as? Failure)?.code == code
}
