extension Duration {
    /// Seconds with one decimal, such as `1.5 s`, for error messages.
    package var secondsText: String {
        let tenths = (self / .milliseconds(100)).rounded()
        return "\(tenths / 10) s"
    }

    /// Seconds with up to three decimals, such as `0.45 seconds`, for limits in error messages.
    package var limitText: String { "\(Duration.milliseconds(Int64((self / .milliseconds(1)).rounded())))" }
}
