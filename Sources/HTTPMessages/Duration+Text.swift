extension Duration {
    /// The duration in seconds with one decimal, such as `1.5 s`, for the text of an error.
    package var secondsText: String {
        let tenths = (self / .milliseconds(100)).rounded()
        return "\(tenths / 10) s"
    }
}
