/// Matches the code of an error in a `catch`: `catch TransportError.Code.timedOut`.
public func ~= <Failure: PatchbayError>(code: ErrorCode<Failure>, error: any Error) -> Bool {
    (error as? Failure)?.code == code
}
