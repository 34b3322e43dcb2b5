import FireLiteFHIRPath
import Testing

/// Conversions, strings, numbers and boundaries, by the rules of the specification.
@Suite struct ConversionTests {
    @Test func conversions() throws {
        Sample.expect([
            ("'yes'.toBoolean()", "true"), ("'F'.toBoolean()", "false"), ("'maybe'.toBoolean()", ""), ("1.0.toBoolean()", "true"),
            ("2.toBoolean()", ""),
            ("'12'.toInteger()", "12"), ("'-12'.toInteger()", "-12"), ("'+12'.toInteger()", "12"), ("'1.5'.toInteger()", ""),
            ("'2147483648'.toInteger()", ""),
            ("'2147483648'.toLong()", "2147483648"), ("true.toInteger()", "1"), ("'1.50'.toDecimal()", "1.50"), ("1.toDecimal()", "1"),
            ("'1e3'.toDecimal()", ""),
            ("'.5'.toDecimal()", ""), ("'a'.toDecimal()", ""), ("1.50.toString()", "1.50"), ("true.toString()", "true"),
            ("@2020-01.toString()", "2020-01"),
            ("4 days.toString()", "4 days"), ("1.5 'mg'.toString()", "1.5 'mg'"), ("'2020-02-30'.toDate()", ""),
            ("'2020-02'.toDate()", "@2020-02"),
            ("@2020-02-01T10:00:00Z.toDate()", "@2020-02-01"), ("'2020-02-01T10'.toDateTime()", "@2020-02-01T10"),
            ("@2020.toDateTime()", "@2020T"),
            ("'10:30'.toTime()", "@T10:30"), ("'25:00'.toTime()", ""), ("'5 \\'mg\\''.toQuantity()", "5 'mg'"),
            ("'5 days'.toQuantity()", "5 days"),
            ("'5 mg'.toQuantity()", ""), ("5.toQuantity()", "5 '1'"), ("1 'g'.toQuantity('mg')", "1000 'mg'"),
            ("1 'g'.toQuantity('m')", ""),
            ("'a'.convertsToInteger()", "false"), ("'1'.convertsToInteger()", "true"), ("{}.convertsToInteger()", ""),
            ("'1'.convertsToQuantity()", "true"),
            ("'x'.convertsToDateTime()", "false"), ("'10:30'.convertsToTime()", "true"), ("'2020'.convertsToDate()", "true"),
            ("'t'.convertsToBoolean()", "true"),
            ("'1.1'.convertsToDecimal()", "true"), ("1.convertsToString()", "true"), ("'1'.convertsToLong()", "true"),
            ("(1 | 2).toString()", "error: execution"),
            ("1 'g'.convertsToQuantity('kg')", "true"),
        ])
    }

    @Test func strings() throws {
        Sample.expect([
            ("'abcdef'.length()", "6"), ("''.length()", "0"), ("{}.length()", ""), ("1.length()", "error: execution"),
            ("'abcabc'.indexOf('c')", "2"),
            ("'abc'.indexOf('')", "0"), ("'abc'.indexOf('x')", "-1"), ("'abcabc'.lastIndexOf('c')", "5"), ("'abc'.lastIndexOf('x')", "-1"),
            ("'äbc'.indexOf('c')", "2"), ("'abcdef'.substring(2)", "cdef"), ("'abcdef'.substring(2, 2)", "cd"), ("'abc'.substring(3)", ""),
            ("'abc'.substring(-1)", ""), ("'abc'.substring(1, 99)", "bc"), ("'abc'.substring(1, {})", "bc"),
            ("'abc'.startsWith('ab')", "true"),
            ("'abc'.startsWith({})", ""), ("'abc'.endsWith('bc')", "true"), ("'abc'.contains('b')", "true"), ("'abc'.contains('')", "true"),
            ("'aß'.upper()", "ASS"), ("'AB'.lower()", "ab"), ("'  a b '.trim()", "a b"), ("'abc'.toChars()", "a, b, c"),
            ("'a,b,,c'.split(',').count()", "4"),
            ("('a' | 'b').join('-')", "a-b"), ("('a' | 'b').join()", "ab"), ("{}.join(',')", ""), ("'banana'.replace('an', 'x')", "bxxa"),
            ("'ab'.replace('', '-')", "-a-b-"), ("'abc'.replace('b', '')", "ac"), ("'abc'.matches('b')", "true"),
            ("'abc'.matches('^b')", "false"),
            ("'abc'.matchesFull('b')", "false"), ("'abc'.matchesFull('a|abc')", "true"), ("'a\\nb'.matches('a.b')", "true"),
            ("'a'.matches('(')", "error: execution"),
            ("'abc'.replaceMatches('[bc]', 'x')", "axx"), ("'11/30/1972'.replaceMatches('(\\\\d+)/(\\\\d+)/', '$2-$1-')", "30-11-1972"),
            ("'test'.encode('hex')", "74657374"), ("'test'.encode('base64')", "dGVzdA=="), ("'a?>'.encode('urlbase64')", "YT8-"),
            ("'74657374'.decode('hex')", "test"), ("'dGVzdA=='.decode('base64')", "test"), ("'YT8-'.decode('urlbase64')", "a?>"),
            ("'zz'.decode('hex')", ""), ("'+f'.decode('hex')", ""), ("'&#x+41;&#+65;'.unescape('html')", "&#x+41;&#+65;"),
            ("'a'.encode('rot13')", "error: execution"), ("'<a & \"b\">'.escape('html')", "&lt;a &amp; &quot;b&quot;&gt;"),
            ("'&lt;a &amp; b&gt; &#65; &x;'.unescape('html')", "<a & b> A &x;"), ("'a\"b\\n'.escape('json')", "a\\\"b\\n"),
            ("'a\\\\nb'.unescape('json').length()", "3"), ("('a' | 'b').length()", "error: execution"),
            ("'abc'.startsWith(1)", "error: execution"),
        ])
    }

    @Test func numbers() throws {
        Sample.expect([
            ("(-5).abs()", "5"), ("(-5.50).abs()", "5.50"), ("(-5 'mg').abs()", "5 'mg'"), ("1.1.ceiling()", "2"),
            ("(-1.1).ceiling()", "-1"),
            ("2.9.floor()", "2"), ("(-2.1).floor()", "-3"), ("(-1.9).truncate()", "-1"), ("1.9.truncate()", "1"),
            ("3.14159.round(3)", "3.142"),
            ("2.5.round()", "3"), ("(-2.5).round()", "-3"), ("1.round(2)", "1"), ("1.round(-1)", "error: execution"), ("0.exp()", "1"),
            ("1.ln()", "0"),
            ("0.ln()", ""), ("16.log(2)", "4"), ("1000.log(10)", "3"), ("125.log(5)", "3"), ("81.sqrt()", "9"), ("(-1).sqrt()", ""),
            ("2.power(10)", "1024"),
            ("2.power(-1)", "0.5"), ("2.5.power(2)", "6.25"), ("(-1).power(0.5)", ""), ("4.power(0.5)", "2"), ("10.power(2000)", ""),
            ("'a'.abs()", "error: execution"),
            ("2.sqrt().round(4)", "1.4142"), ("{}.abs()", ""), ("(1 | 2).abs()", "error: execution"), ("2.power(31)", "2147483648"),
        ])
    }

    @Test func boundaries() throws {
        Sample.expect([
            ("1.587.lowBoundary()", "1.58650000"), ("1.587.highBoundary()", "1.58750000"), ("1.587.lowBoundary(2)", "1.58"),
            ("1.587.highBoundary(2)", "1.59"),
            ("(-1.587).lowBoundary(2)", "-1.59"), ("(-1.587).highBoundary(2)", "-1.58"), ("1.lowBoundary()", "0.50000000"),
            ("1.highBoundary(0)", "2"),
            ("1.587.lowBoundary(-1)", ""), ("1.587.lowBoundary(39)", ""), ("0.lowBoundary(1)", "-0.5"), ("0.highBoundary(1)", "0.5"),
            ("1.587 'cm'.highBoundary(4)", "1.5875 'cm'"), ("@2014.lowBoundary()", "@2014-01-01"),
            ("@2014-02.highBoundary()", "@2014-02-28"),
            ("@2014T.lowBoundary()", "@2014-01-01T00:00:00.000+14:00"), ("@2014-02T.highBoundary()", "@2014-02-28T23:59:59.999-12:00"),
            ("@2014-01-01T08:05+02:00.lowBoundary(17)", "@2014-01-01T08:05:00.000+02:00"), ("@T10:30.highBoundary()", "@T10:30:59.999"),
            ("@T10:30.lowBoundary(2)", "@T10"), ("@2014-05-06.lowBoundary(6)", "@2014-05T"), ("@2014.lowBoundary(7)", ""),
            ("'a'.lowBoundary()", "error: execution"),
            ("1.58700.precision()", "5"), ("@2014.precision()", "4"), ("@2014-01-05T10:30:00.000.precision()", "17"),
            ("@T10:30.precision()", "4"),
            ("@T10:30:00.000.precision()", "9"), ("@2014-01-05T10.precision()", "10"), ("1.precision()", "0"),
        ])
    }

    @Test func momentsHaveParts() throws {
        var context = FHIRPathContext()
        context.now = .init(timeIntervalSince1970: 1_583_058_600.25)
        context.timeZone = .init(secondsFromGMT: 7_200) ?? .current
        Sample.expect(
            [
                ("now()", "@2020-03-01T12:30:00.250+02:00"), ("today()", "@2020-03-01"), ("timeOfDay()", "@T12:30:00.250"),
                ("now() = now()", "true"),
                ("today() < now()", ""), ("@2020-03.yearOf()", "2020"), ("@2020-03.monthOf()", "3"), ("@2020-03.dayOf()", ""),
                ("@2020-03-01T10:20:30.5Z.hourOf()", "10"), ("@T10:20.minuteOf()", "20"), ("@T10:20.secondOf()", ""),
                ("@T10:20:30.5.millisecondOf()", "500"),
                ("now().timezoneOffsetOf()", "2"), ("now().dateOf()", "@2020-03-01"), ("now().timeOf()", "@T12:30:00.250"),
                ("1.yearOf()", "error: execution"),
            ], context: context)
    }
}
