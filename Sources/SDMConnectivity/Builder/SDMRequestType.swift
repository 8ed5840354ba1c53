/// The kind of request that a builder makes; the numbers are the vendor's.
public enum SDMRequestType: Int, Hashable, Sendable, CaseIterable {
    /// A request to a Sybase Unwired Platform or SAP Mobile Platform server; see ``SUPRequest``.
    case sup = 0xFE
    /// A plain HTTP request; see ``SDMHttpRequest``.
    case http = 0xFF
}
