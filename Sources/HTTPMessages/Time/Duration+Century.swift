extension Duration {
    /// 100 years: the longest time that a setting or a server may ask for, so that sums of durations cannot overflow.
    package static let century = Duration.seconds(Double.century)
}

extension Double {
    /// The seconds of ``Swift/Duration/century``.
    package static let century = 100.0 * 365 * 86_400
}
