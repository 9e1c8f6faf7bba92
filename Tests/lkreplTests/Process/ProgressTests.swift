import Testing

@testable import lkrepl

@Suite struct `Progress meter` {
    @Test func `The progress meter shows nothing in the first half second`() {
        var meter = ProgressMeter(label: "load", unit: .bytes)
        #expect(meter.advance(done: 1, total: 10, at: .zero) == nil)
        #expect(meter.advance(done: 9, total: 10, at: .milliseconds(499)) == nil)
        #expect(meter.advance(done: 9, total: 10, at: .milliseconds(500)) != nil)
    }

    @Test func `The progress meter updates at most ten times a second`() {
        var meter = ProgressMeter(label: "load", unit: .bytes)
        let texts = (0..<10_000).compactMap { meter.advance(done: $0, total: 10_000, at: .milliseconds($0)) }
        #expect(texts.count == 95)
    }

    @Test func `The progress meter draws a bar with the remaining time if the total is known`() {
        var meter = ProgressMeter(label: "load", unit: .bytes)
        #expect(
            meter.advance(done: 12_300_000, total: 24_600_000, at: .seconds(3))
                == "load  ██████████████░░░░░░░░░░░░░░  50%  12.3 MB of 24.6 MB  4.1 MB/s  ETA 0:03")
    }

    @Test func `The progress meter counts if the total is unknown`() {
        var meter = ProgressMeter(label: "scan", unit: .items("records"))
        #expect(meter.advance(done: 1_230_000, total: nil, at: .seconds(2)) == "scan: 1,230,000 records 615,000/s 0:02")
        var first = ProgressMeter(label: "scan", unit: .items("records"))
        #expect(first.advance(done: 1, total: nil, at: .seconds(1)) == "scan: 1 record 1/s 0:01")
    }

    @Test func `The progress meter counts if the total is exceeded`() {
        var meter = ProgressMeter(label: "scan", unit: .items("records"))
        #expect(meter.advance(done: 11, total: 10, at: .seconds(1)) == "scan: 11 records 11/s 0:01")
        #expect(meter.advance(done: 12, total: 0, at: .seconds(2)) == "scan: 12 records 9/s 0:02")
    }

    @Test func `The progress meter adapts to a change of speed`() {
        var meter = ProgressMeter(label: "scan", unit: .items("records"), width: 200)
        var text: String?
        for second in 1...60 {
            let done = second <= 10 ? second * 1000 : 10_000 + (second - 10) * 10
            text = meter.advance(done: done, total: 20_500, at: .seconds(second)) ?? text
        }
        // 10,000 remain at 10 per second, and the first speed still has a small effect; the overall average would
        // promise one minute.
        #expect(text?.hasSuffix("10/s  ETA 16:30") == true, "\(text ?? "")")
    }

    @Test func `The progress meter shows no remaining time while nothing progresses`() {
        var meter = ProgressMeter(label: "load", unit: .bytes)
        #expect(meter.advance(done: 0, total: 100, at: .seconds(1))?.hasSuffix("ETA ?") == true)
    }

    @Test(arguments: 1...100)
    func `The progress meter stays within the terminal, and off its last column`(width: Int) throws {
        for total in [nil, 1_000_000] {
            var meter = ProgressMeter(label: "load", unit: .items("records"), width: width)
            let text = meter.advance(done: 123_456, total: total, at: .seconds(2))
            #expect(try DisplayWidth.columns(of: #require(text)) <= max(1, width - 1))
        }
    }

    @Test func `The progress meter in plain style writes a line every ten seconds`() {
        var meter = ProgressMeter(label: "load", unit: .bytes, style: .plain)
        let texts = (0...35).compactMap { meter.advance(done: $0 * 1000, total: 100_000, at: .seconds($0)) }
        #expect(
            texts == [
                "load: 10% 10.0 kB of 100.0 kB 1.0 kB/s ETA 1:30",
                "load: 20% 20.0 kB of 100.0 kB 1.0 kB/s ETA 1:20",
                "load: 30% 30.0 kB of 100.0 kB 1.0 kB/s ETA 1:10",
            ])
    }

    @Test func `The progress meter shows nothing in style none`() {
        var meter = ProgressMeter(label: "load", unit: .bytes, style: .none)
        #expect(meter.advance(done: 1, total: 2, at: .seconds(100)) == nil)
    }
}

@Suite struct `Progress reporter` {
    @Test(
        arguments: [
            (nil, false, true, .line), (nil, false, false, .none), (.line, false, false, .none),
            (.plain, false, false, .plain), (.plain, false, true, .plain), (.plain, true, true, .none),
            (ProgressMeter.Style.none, false, true, .none), (nil, true, true, .none),
        ] as [(ProgressMeter.Style?, Bool, Bool, ProgressMeter.Style)])
    func `The progress reporter draws only in a terminal and when not quiet`(
        style: ProgressMeter.Style?, isQuiet: Bool, isTerminal: Bool, expected: ProgressMeter.Style
    ) {
        #expect(ProgressReporter.resolve(style, isQuiet: isQuiet, isTerminal: isTerminal) == expected)
    }

    @Test func `The progress reporter leaves no trace in a file`() throws {
        let file = try TemporaryFile()
        let reporter = ProgressReporter(
            label: "load", unit: .bytes, output: StandardError(descriptor: file.descriptor))
        reporter.advance(done: 1, total: 2)
        reporter.finish()
        #expect(try file.contents().isEmpty)
    }
}

@Suite struct `Standard error` {
    @Test func `Standard error clears the status line before a message, without escape sequences`() throws {
        let file = try TemporaryFile()
        let output = StandardError(descriptor: file.descriptor)
        output.write("first\n")
        output.show(status: "日本 50%")
        output.show(status: "60%")
        output.write("warning\n")
        output.clearStatus()
        output.show(status: "70%")
        output.clearStatus()
        #expect(
            try String(decoding: file.contents(), as: UTF8.self)
                == "first\n\r日本 50%\r60%     \r   \rwarning\n\r70%\r   \r")
    }
}
