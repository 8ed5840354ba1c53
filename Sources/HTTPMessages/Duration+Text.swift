extension Duration {
    /// Seconds with one decimal, such as `1.5 s`, for error messages.
    package var secondsText: String {
        let tenths = (self / .milliseconds(100)).rounded()
        return "\(tenths / 10) s"
    }
}
