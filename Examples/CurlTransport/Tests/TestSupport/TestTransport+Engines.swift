public import CurlTransport
public import Transport

extension TestTransport {
    /// The linked engines by name.
    static let engines: [String: Factory] = [
        "curl": { clock in curl(clock: clock) }, "urlsession": { clock in URLSessionTransport(clock: clock) },
    ]

    /// A transport over libcurl; one that fails every request if it cannot be made.
    public static func curl(
        _ network: CurlTransport.NetworkOptions = .init(), configuration: CurlTransport.Configuration = .init(),
        clock: some Clock<Duration> = ContinuousClock()
    ) -> AnyTransport {
        do throws(TransportError) {
            return AnyTransport(try CurlTransport(configuration: configuration, network: network, clock: clock))
        } catch {
            return AnyTransport(FakeTransport { _ in throw error })
        }
    }
}
