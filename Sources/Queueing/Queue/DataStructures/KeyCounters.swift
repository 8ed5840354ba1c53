/// Running and waiting items per key, by the key's number.
struct KeyCounters {
    struct Counter {
        var running: Int32 = 0
        var waiting: Int32 = 0
        var isIdle: Bool { running == 0 && waiting == 0 }
    }

    /// By key; as long as the highest key that was ever changed requires.
    private(set) var counters: [Counter] = []
    /// The number of keys that are not idle.
    private(set) var busyCount = 0

    func running(_ key: Int) -> Int { counters.indices.contains(key) ? Int(counters[key].running) : 0 }

    /// True if no item of the key runs or waits.
    func isIdle(_ key: Int) -> Bool { !counters.indices.contains(key) || counters[key].isIdle }

    /// Adds to the counters of a key.
    mutating func add(_ key: Int, running: Int32 = 0, waiting: Int32 = 0) {
        while key >= counters.count { counters.append(Counter()) }
        let wasIdle = counters[key].isIdle
        counters[key].running += running
        counters[key].waiting += waiting
        let isIdle = counters[key].isIdle
        if wasIdle != isIdle { busyCount += isIdle ? -1 : 1 }
    }
}
