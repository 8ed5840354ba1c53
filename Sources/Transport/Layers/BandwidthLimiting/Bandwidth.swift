public import HTTPMessages

/// Limits of the bytes of bodies per second. Nil means no limit; numbers below 1 count as 1.
public struct Bandwidth: Hashable, Sendable {
    /// Bytes of request bodies per second.
    public var upload: Int?
    /// Bytes of response bodies per second, counted after decoding.
    public var download: Int?
    /// Bytes of both directions per second.
    public var total: Int?

    /// No limit.
    public static let unlimited = Bandwidth()

    /// Limits in bytes per second, of a direction or of both together; nil is no limit.
    public static func bytesPerSecond(upload: Int? = nil, download: Int? = nil, total: Int? = nil) -> Bandwidth {
        Bandwidth(upload: upload, download: download, total: total)
    }

    /// True if a body of a direction is limited.
    func limits(_ direction: Direction) -> Bool { total != nil || (direction == .upload ? upload : download) != nil }

    /// A direction of bodies.
    enum Direction: Hashable, Sendable { case upload, download }
}

private enum BandwidthKey: RequestOptionKey { static var defaultValue: Bandwidth { .unlimited } }

extension RequestOptions {
    /// Limits of this request, within those of the layer ``BandwidthLimiting``, which reads them; default none.
    public var bandwidth: Bandwidth {
        get { hasLayerOptions ? self[BandwidthKey.self] : .unlimited }
        set { self[BandwidthKey.self] = newValue }
    }
}

/// The directions whose bodies a layer paces, so that an engine must not run ahead of it.
package struct PacedBodies: OptionSet, Hashable, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    package static let upload = PacedBodies(rawValue: 1)
    package static let download = PacedBodies(rawValue: 2)
}

private enum PacedBodiesKey: RequestOptionKey { static var defaultValue: PacedBodies { [] } }

extension RequestOptions {
    /// Set by a layer; an engine that collects such bodies fails with `unsupported`.
    package var pacedBodies: PacedBodies {
        get { hasLayerOptions ? self[PacedBodiesKey.self] : [] }
        set { self[PacedBodiesKey.self] = newValue }
    }
}
