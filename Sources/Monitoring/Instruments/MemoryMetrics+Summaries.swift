/// Requests of one host, method and template: how many, how many failed, and how long they took.
public struct RequestSummary: Hashable, Sendable, CustomStringConvertible {
    /// The method.
    public let method: String
    /// The host, if there are templates of several; otherwise nil.
    public let host: String?
    /// The template of the URL, such as `/orders/{}`; without one, the host.
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
        "\(method) \(host ?? "")\(template): \(count), \(failures) failed, p50 \(median.logText), "
            + "p95 \(percentile95.logText)"
    }
}

extension MemoryMetrics {
    /// The requests by host, template and method, in the order of these names.
    ///
    /// A duration is estimated within its bucket, as monitoring systems do, and is at most the limit of the last
    /// bucket, 10 seconds.
    public var summaries: [RequestSummary] {
        let all = series(of: .requestDuration)
        let hosts = Set(all.filter { $0.attributes["url.template"] != nil }.map { $0.attributes["server.address"] })
        let groups = Dictionary(grouping: all) { series -> [String] in
            let (host, template) = (series.attributes["server.address"], series.attributes["url.template"])
            return [hosts.count > 1 && template != nil ? host : nil, template ?? host, method(of: series)]
                .map { $0?.description ?? "" }
        }
        return groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { key, all in
            let counts = all.reduce(into: all[0].bucketCounts.map { _ in 0 }) { counts, series in
                for (index, count) in series.bucketCounts.enumerated() { counts[index] += count }
            }
            let failed = all.filter { $0.attributes["error.type"] != nil }
            return RequestSummary(
                method: key[2], host: key[0].isEmpty ? nil : key[0], template: key[1],
                count: all.reduce(0) { $0 + $1.count },
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
