package import Dispatch

extension Duration {
    /// In nanoseconds, clamped to 0 ... 1e15 (about eleven days).
    package var clampedNanoseconds: UInt64 {
        let nanoseconds = Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9
        return UInt64(min(max(nanoseconds, 0), 1e15))
    }

    /// For Dispatch, clamped as ``clampedNanoseconds``.
    package var dispatchInterval: DispatchTimeInterval { .nanoseconds(Int(clampedNanoseconds)) }
}
