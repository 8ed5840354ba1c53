/// Requests of one method and template: how many, how many failed, and how long they took.
public struct RequestSummary: Hashable, Sendable, CustomStringConvertible {
    /// The method.
    public let method: String
    /// The template of the URL, such as `orders/{}`; without one, the host.
    public let template: String
    /// The number of requests: attempts, if attempts are observed.
    public let count: Int
    /// Those without a response, and those with a status of 400 or more.
    public let failures: Int
    /// The duration that half of the requests did not exceed, estimated from the buckets.
    public let median: Duration
    /// The duration that 95 of 100 requests did not exceed, estimated from the buckets.
    public let percentile95: Duration

    /// All of it on one line.
    public var description: String {
        "\(method) \(template): \(count), \(failures) failed, p50 \(median.logText), p95 \(percentile95.logText)"
    }
}

extension MemoryMetrics {
    /// The requests by template and method, in the order of these names.
    ///
    /// A duration is estimated within its bucket, as monitoring systems do, and is at most the limit of the last
    /// bucket, 10 seconds.
    public var summaries: [RequestSummary] {
        let groups = Dictionary(grouping: series(of: .requestDuration)) { series in
            [series.attributes["url.template"] ?? series.attributes["server.address"], method(of: series)]
                .map { $0?.description ?? "" }
        }
        return groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { key, all in
            let counts = all.reduce(into: all[0].bucketCounts.map { _ in 0 }) { counts, series in
                for (index, count) in series.bucketCounts.enumerated() { counts[index] += count }
            }
            let failed = all.filter { $0.attributes["error.type"] != nil }
            return RequestSummary(
                method: key[1], template: key[0], count: all.reduce(0) { $0 + $1.count },
                failures: failed.reduce(0) { $0 + $1.count },
                median: Self.quantile(0.5, of: counts), percentile95: Self.quantile(0.95, of: counts))
        }
    }

    private func method(of series: Series) -> AttributeValue? { series.attributes["http.request.method"] }

    /// Interpolates within the bucket that has the quantile.
    private static func quantile(_ share: Double, of counts: [Int]) -> Duration {
        let limits = MetricInstrument.requestDuration.buckets
        let rank = share * Double(counts.reduce(0, +))
        var below = 0.0
        for (index, count) in counts.enumerated() where count > 0 {
            guard below + Double(count) < rank else {
                guard index < limits.count else { break }
                let lower = index == 0 ? 0 : limits[index - 1]
                return .seconds(lower + (limits[index] - lower) * (rank - below) / Double(count))
            }
            below += Double(count)
        }
        return .seconds(limits.last ?? 0)
    }
}
